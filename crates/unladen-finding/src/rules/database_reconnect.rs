//! A connection to a database that is opened for each request.

use unladen_trace::{ConnectionSeen, Counted, Evidence, EvidenceSource, Interval, Protocol, Series};

use crate::application::{Application, folder_of};
use crate::finding::{Figure, Finding, Item, Rule, Saves, Share};
use crate::fix::Fix;
use crate::folders::named_file;
use crate::rules::peers::{self, LEAST_PER_REQUEST};
use crate::stack::{Stack, is_contained, is_database_server, program};
use crate::words::many;
use crate::{means, php, quoting, server, words};

/// Reopened connections per request from which the summary says that one would do: half, as for those opened.
const LEAST_AGAIN: f64 = 0.5;

/// Connection poolers: program, display name, protocol.
const POOLERS: &[(&str, &str, Protocol)] = &[
    ("pgbouncer", "PgBouncer", Protocol::Postgres),
    ("proxysql", "ProxySQL", Protocol::Mysql),
    ("pgpool", "Pgpool", Protocol::Postgres),
    ("odyssey", "Odyssey", Protocol::Postgres),
    ("pgcat", "PgCat", Protocol::Postgres),
    ("maxscale", "MaxScale", Protocol::Mysql),
];

const POOLER_PORTS: &[(u16, &str)] = &[(6432, "PgBouncer"), (6033, "ProxySQL"), (9999, "Pgpool")];

/// Upper bound relative to opening a connection: the other side also ends its process, and loses its caches.
const AROUND: f64 = 1.5;

pub(super) const RULE: Rule = Rule {
    name: "database-reconnect",
    about: "each request opens a connection to its database",
    needs: &[EvidenceSource::Syscalls],
    reads: &[],
    page: include_str!("../../pages/database-reconnect.md"),
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    // A pooler keeps what it opens, for as long as its own setting says.
    let is_own = |seen: &&ConnectionSeen| POOLERS.iter().all(|(name, ..)| program(evidence, seen.group) != *name);
    let databases = peers::habits(evidence).filter(|seen| peers::is_database(seen)).filter(is_own);
    databases.filter_map(|seen| one(evidence, seen)).collect()
}

fn one(evidence: &Evidence, seen: &ConnectionSeen) -> Option<Finding> {
    // Connections without queries belong to another rule.
    let asked = seen.opened.count.less(&seen.unused);
    let opened = peers::often(evidence, &asked, LEAST_PER_REQUEST)?;
    let part = 1.0 - peers::unused_part(evidence, seen).unwrap_or(0.0);
    let several = peers::often(evidence, &asked.less(&seen.opened.requests), LEAST_AGAIN).is_some();
    let database = format!("{} at {}", peers::spoken(peers::protocol(seen)), seen.peer);
    let connections = many(opened, "new connection", "new connections");
    let mut figures = vec![Figure { name: "connections", unit: "1", value: opened }];
    let login = peers::time(evidence, &[&seen.logins]).filter(|time| time.low > 0.0);
    figures.extend(login.map(|value| Figure { name: "login", unit: "ns", value }));
    let servers = servers(evidence, seen);
    figures.extend(servers.map(|value| Figure { name: "server_cpu", unit: "ns", value }));
    let opening = peers::opening(evidence, seen).map(|time| time.scaled(part));
    let all = opening.map(|time| time.high.max(0.0) + anew(evidence, seen, servers));
    // How much a new server process slows its first queries is not seen: the upper end has all of it.
    let takes = opening.zip(all).map(|(time, all)| Interval { high: time.high.max(all), ..time });
    let takes = Share::of_latency(evidence, takes);
    Some(Finding {
        summary: format!(
            "{connections} per request to {database}, {}{}",
            match (several, seen.protocol == Protocol::Tls) {
                (true, _) => "where one is enough",
                (false, true) => "each with its greeting, TLS handshake and login",
                (false, false) => "each with its greeting and login",
            },
            match servers {
                Some(cpu) => format!(
                    "; the server starts a process for each, {} of CPU a request with its queries",
                    words::time(cpu.value)
                ),
                None => String::new(),
            }
        ),
        figures,
        items: vec![Item { name: seen.peer.clone(), per_request: opened.value }],
        saves: Saves::part_of(&takes, AROUND),
        ..Finding::of(&RULE, evidence, Some(seen.group), takes, fix(evidence, seen, several))
    })
}

/// Upper bound (ns a request) on how much longer queries take over a new connection: PostgreSQL's new process refills
/// its catalogue caches. No more than the queries take, nor than its processes work.
fn anew(evidence: &Evidence, seen: &ConnectionSeen, servers: Option<Interval>) -> f64 {
    if peers::protocol(seen) != Protocol::Postgres {
        return 0.0; // MySQL's threads share their caches.
    }
    let asked = evidence.queries.iter().filter(|query| query.group == seen.group && query.database == seen.peer);
    let waits: Vec<&Counted> = asked.flat_map(|query| [&query.counted, &query.prepares]).collect();
    let queries = peers::time(evidence, &waits).map_or(0.0, |time| time.high.max(0.0));
    servers.map_or(queries, |cpu| queries.min(cpu.high))
}

/// CPU of a local PostgreSQL's processes for connections, ns a request; includes their work for queries.
fn servers(evidence: &Evidence, seen: &ConnectionSeen) -> Option<Interval> {
    if peers::protocol(seen) != Protocol::Postgres || !seen.local {
        return None;
    }
    let forked = |group: usize| evidence.processes.iter().filter(move |process| process.group == group);
    (0..evidence.groups.len()).filter(|group| is_database_server(evidence, *group)).find_map(|group| {
        peers::often(evidence, &Series::sum(forked(group).map(|process| &process.started)), LEAST_PER_REQUEST)?;
        let cpu = evidence.per_request(&Series::sum(forked(group).map(|process| &process.cpu_ns)))?;
        (cpu.low > 0.0).then_some(cpu)
    })
}

/// An existing pooler in between, by its port or as one of the followed local groups.
fn pooler(evidence: &Evidence, seen: &ConnectionSeen) -> Option<&'static str> {
    let by_port = POOLER_PORTS.iter().find(|(port, _)| peers::port(seen) == Some(*port) && peers::is_tcp(seen));
    let follows = |name: &str| (0..evidence.groups.len()).any(|group| program(evidence, group) == name);
    let by_group =
        || POOLERS.iter().find(|(name, _, spoken)| seen.local && *spoken == peers::protocol(seen) && follows(name));
    by_port.map(|(_, name)| *name).or_else(|| by_group().map(|(_, name, _)| *name))
}

fn fix(evidence: &Evidence, seen: &ConnectionSeen, several: bool) -> Fix {
    let mut first = String::new();
    if seen.protocol == Protocol::Tls && seen.local {
        first += "connect without TLS, which protects nothing on this machine (sslmode=disable of PostgreSQL, \
            ssl-mode=DISABLED of MySQL); then ";
    }
    if several {
        first += "make one connection and pass it to all callers; then ";
    }
    let application = Application::of(evidence, seen.group);
    if let (Protocol::Mysql, Some(Application::WordPress), None) =
        (peers::protocol(seen), application, pooler(evidence, seen))
    {
        return wordpress(evidence, seen);
    }
    let keep = keep(application, Stack::of(evidence, seen.group), peers::protocol(seen));
    if let Some(pooler) = pooler(evidence, seen) {
        return Fix::advice(format!(
            "{first}{keep}. {pooler} is already in front of the database and keeps its connections: a second pooler \
             would only add time. Where it hands out a connection for as long as the client stays (session mode), its \
             pool must be as large as there are workers"
        ));
    }
    if is_contained(evidence, seen.group) {
        return Fix::advice(format!(
            "{first}{keep} (the database's max_connections must be above the number of workers); or put a pooler in \
             between, in its own container (PgBouncer, ProxySQL), and point the application to it instead of the \
             database"
        ));
    }
    match peers::protocol(seen) {
        Protocol::Mysql => proxysql(evidence, &first, &keep, seen),
        _ if !peers::is_tcp(seen) => Fix::advice(format!(
            "{first}{keep} (max_connections of PostgreSQL must be above the number of workers, and session settings \
             of one request remain for the next). PgBouncer is an alternative only where the application logs in with \
             a password, which it mostly does not over a Unix socket"
        )),
        _ => pgbouncer(evidence, &first, &keep, seen),
    }
}

fn keep(application: Option<Application>, stack: Stack, protocol: Protocol) -> String {
    if let Some(means) = application.and_then(|application| means::of(application, "database-reconnect").next()) {
        return means;
    }
    match (stack, protocol) {
        (Stack::Php, Protocol::Mysql) => {
            "keep it: PDO::ATTR_PERSISTENT => true, or mysqli with \"p:\" before the host, where the application \
             passes the host unchanged"
        }
        (Stack::Php, _) => "keep it: pg_pconnect instead of pg_connect, or PDO::ATTR_PERSISTENT => true",
        (Stack::Python, _) => "keep it: CONN_MAX_AGE = 60 in Django, a pool in SQLAlchemy",
        (Stack::Perl, _) => "keep it: DBI->connect_cached, or Apache::DBI",
        (Stack::Node, _) => {
            "keep it in one pool, made when the process starts (new Pool() of pg, createPool() of mysql2), instead of \
             a client for each request"
        }
        (Stack::Ruby, _) => "keep it in ActiveRecord's pool (pool: in database.yml, as large as the server has threads), or in one of Sequel",
        _ => "keep it in a pool as large as the process has threads",
    }
    .to_owned()
}

/// WordPress splits `DB_HOST` before it reaches mysqli, which alone understands `p:`. With host and port it is passed
/// on whole; with a host alone, `p` is taken for the host; with a socket neither works.
fn wordpress(evidence: &Evidence, seen: &ConnectionSeen) -> Fix {
    const LIMIT: &str = "MariaDB's max_connections must be above the number of PHP's workers";
    let at: Option<std::net::SocketAddrV4> = seen.peer.parse().ok();
    let Some(at) = at else {
        return Fix::advice(format!(
            "keep it: WordPress accepts \"p:\" in DB_HOST only with an IPv4 address and a port. Where MariaDB listens \
             there, and the user may connect from there, that is define( 'DB_HOST', 'p:127.0.0.1:3306' ); in \
             wp-config.php. {LIMIT}"
        ));
    };
    let advice = format!(
        "keep it: \"p:\" in WordPress' DB_HOST, with address and port (\"p:localhost\" does not work); the command \
         replaces the existing call, and changes nothing unless there is exactly one. {LIMIT}"
    );
    let is_debian = |path: &str| path.starts_with("/etc/wordpress/config-") && path.ends_with(".php");
    let debian = named_file(evidence, seen.group, |file| is_debian(&file.path));
    let root = || {
        folder_of(evidence, seen.group, "/wp-includes/")
            .and_then(|of| Some(of.strip_suffix("/wp-includes")?.to_owned()))
    };
    let file = debian.map(|file| file.path.clone()).or_else(|| Some(format!("{}/wp-config.php", root()?)));
    let Some(file) = file else {
        return Fix::advice(format!("{advice}: define( 'DB_HOST', 'p:{at}' ); in wp-config.php"));
    };
    let fix = Fix::advice(advice).command(in_place(&quoting::word(&file), &at.to_string()));
    php::reload(evidence, seen.group).into_iter().fold(fix, Fix::command)
}

/// Replaces the call within its line. Fails with a message unless exactly one stands in a line outside of a comment.
fn in_place(file: &str, at: &str) -> String {
    let call = r#"define *( *['\"]DB_HOST['\"]"#;
    let whole = format!(r"^\([^/#*]*\){call} *,[^;]*);");
    format!(
        "[ \"$(grep -o \"{call}\" {file} | wc -l)\" -eq 1 ] && grep -q \"{whole}\" {file} && sed -i \"s/{whole}/\\1define( 'DB_HOST', 'p:{at}' );/\" \
         {file} || {{ echo 'DB_HOST is not defined exactly once, in a line of its own: change it by hand' >&2; false; }}"
    )
}

fn proxysql(evidence: &Evidence, first: &str, keep: &str, seen: &ConnectionSeen) -> Fix {
    // ProxySQL gives a socket port 0.
    let Some((address, port)) = address(seen, 0) else {
        return Fix::advice(format!("{first}{keep}; or put ProxySQL in between, which keeps connections"));
    };
    Fix::advice(format!(
        "{first}{keep}; or put ProxySQL between (from its makers: Debian 12 has no package of it), which keeps \
         connections, and connect to 127.0.0.1:6033 (USER and PASSWORD are the application's; the file is read at the \
         first start only, hence --initial, which discards ProxySQL's earlier settings)"
    ))
    .lines(
        "/etc/proxysql.cnf",
        [
            "mysql_variables = { interfaces = \"127.0.0.1:6033\" }".to_owned(),
            format!(
                "mysql_servers = ( {{ address = \"{address}\", port = {port}, hostgroup = 0, max_connections = 50 }} )"
            ),
            "mysql_users = ( { username = \"USER\", password = \"PASSWORD\", default_hostgroup = 0 } )".into(),
        ],
    )
    // The unit is of its makers' package, and so is the verb of their script.
    .command(match server::has_systemd(evidence) {
        true => "systemctl stop proxysql && systemctl start proxysql-initial",
        false => "service proxysql stop && service proxysql initial",
    })
}

/// A complete settings file, and the file of users without which nobody can log in: those with a password, as the
/// database stores it, which is enough for both sides of PgBouncer.
fn pgbouncer(evidence: &Evidence, first: &str, keep: &str, seen: &ConnectionSeen) -> Fix {
    const USERS: &str = "/etc/pgbouncer/userlist.txt";
    let Some((host, port)) = address(seen, 5432) else {
        return Fix::advice(format!(
            "{first}{keep} (max_connections of PostgreSQL must be above the number of workers, and session settings \
             of one request remain for the next); or put PgBouncer in between, which keeps connections and cleans \
             them"
        ));
    };
    let lines = [
        "[databases]".to_owned(),
        format!("* = host={host} port={port}"),
        "[pgbouncer]".into(),
        "listen_addr = 127.0.0.1".into(),
        "listen_port = 6432".into(),
        "unix_socket_dir = /var/run/postgresql".into(),
        "logfile = /var/log/postgresql/pgbouncer.log".into(),
        "pidfile = /var/run/postgresql/pgbouncer.pid".into(),
        "auth_type = scram-sha-256".into(),
        format!("auth_file = {USERS}"),
        "pool_mode = session".into(),
        "max_client_conn = 200".into(),
        "default_pool_size = 20".into(),
    ];
    let (users, note) = match seen.local {
        true => (
            format!(
                "{} -XAtc \"select format('\\\"%s\\\" \\\"%s\\\"', rolname, rolpassword) from pg_authid \
                 where rolcanlogin and rolpassword like 'SCRAM%'\"",
                server::psql(evidence, port)
            ),
            "",
        ),
        false => ("echo '\"USER\" \"PASSWORD\"'".to_owned(), " # the application's own"),
    };
    Fix::advice(format!(
        "{first}{keep} (max_connections of PostgreSQL must be above the number of workers, and session settings of \
         one request remain for the next); or put PgBouncer in between (Debian: the package pgbouncer), which keeps \
         connections and cleans them: these lines are all of its settings (keep a copy of the existing file), the \
         first command writes the list of users (and keeps the old list as {USERS}~), and the application then \
         connects to 127.0.0.1:6432"
    ))
    .lines("/etc/pgbouncer/pgbouncer.ini", lines)
    // Keeps the existing file until there is something to replace it.
    .command(format!(
        "(umask 077; {users} >{USERS}.new && chown postgres: {USERS}.new && mv --backup=simple {USERS}.new {USERS} || {{ rm -f {USERS}.new; false; }}){note}"
    ))
    .command(server::service(evidence, "restart", "pgbouncer"))
}

/// Host (or folder of the socket, or MySQL's socket) and port of a peer; a socket without one gets `socket_port`.
/// `None` if the peer's name would have a special meaning in a settings file or to a shell: anybody can choose a
/// socket's name.
fn address(seen: &ConnectionSeen, socket_port: u16) -> Option<(&str, u16)> {
    let (address, port) = if peers::is_tcp(seen) {
        let (host, port) = seen.peer.rsplit_once(':')?;
        (host.trim_matches(['[', ']']), port.parse().ok()?)
    } else if let Some((folder, port)) = seen.peer.rsplit_once("/.s.PGSQL.") {
        (folder, port.parse().ok()?)
    } else {
        (seen.peer.as_str(), socket_port)
    };
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/:._-".contains(&byte);
    (!address.is_empty() && address.bytes().all(is_plain)).then_some((address, port))
}

#[cfg(test)]
mod tests;
