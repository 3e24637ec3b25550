//! A connection to a database that is opened for each request.

use unladen_trace::{ConnectionSeen, Evidence, Interval, Protocol, Series, Source};

use super::peers::{self, LEAST_PER_REQUEST};
use crate::again;
use crate::cure::Cure;
use crate::finding::{Figure, Finding, Item, Share};
use crate::rule::Rule;
use crate::stack::{Stack, is_database_server};
use crate::words;

/// Connections that a request opens again, from which the summary says that one would do: half, as for those that it opens.
const LEAST_AGAIN: f64 = 0.5;

/// See `docs/rules/database-reconnect.md`.
pub(super) struct DatabaseReconnect;

impl Rule for DatabaseReconnect {
    fn name(&self) -> &'static str {
        "database-reconnect"
    }

    fn about(&self) -> &'static str {
        "each request opens a connection to its database"
    }

    fn needs(&self) -> &'static [Source] {
        &[Source::Syscalls]
    }

    fn page(&self) -> &'static str {
        include_str!("../../../../docs/rules/database-reconnect.md")
    }

    fn check(&self, evidence: &Evidence) -> Vec<Finding> {
        let databases = peers::habits(evidence).filter(|seen| peers::is_database(seen));
        databases.filter_map(|seen| self.one(evidence, seen)).collect()
    }
}

impl DatabaseReconnect {
    fn one(&self, evidence: &Evidence, seen: &ConnectionSeen) -> Option<Finding> {
        // Those over which nothing is asked are another rule's.
        let asked = seen.opened.count.less(&seen.unused);
        let opened = peers::often(evidence, &asked, LEAST_PER_REQUEST)?;
        let kept = peers::part(evidence, &asked, &seen.opened.count).unwrap_or(1.0);
        let several = peers::often(evidence, &asked.less(&seen.opened.requests), LEAST_AGAIN).is_some();
        let database = format!("{} at {}", peers::spoken(seen.protocol), seen.peer);
        let connections = peers::so_many(opened, "new connection", "new connections");
        let mut figures = vec![Figure { name: "connections", unit: "1", value: opened }];
        let login = peers::time(evidence, &[&seen.logins]).filter(|time| time.low > 0.0);
        figures.extend(login.map(|value| Figure { name: "login", unit: "ns", value }));
        let servers = servers(evidence, seen);
        figures.extend(servers.map(|value| Figure { name: "server_cpu", unit: "ns", value }));
        let time = peers::time(evidence, &[&seen.opened, &seen.handshakes, &seen.logins]);
        Some(Finding {
            rule: self.name(),
            group: evidence.group(seen.group).to_owned(),
            summary: format!(
                "{connections} per request to {database}, {}{}",
                if several { "where one would do" } else { "each with its greeting and login" },
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
            share: Share::of_latency(evidence, time.map(|time| time.scaled(kept))),
            cure: cure(Stack::of(evidence, seen.group), seen, several),
            check_again: again::weigh(evidence),
        })
    }
}

/// CPU of the processes that PostgreSQL on this machine starts for connections, ns a request: what they do for queries is in it,
/// and cannot be told apart.
fn servers(evidence: &Evidence, seen: &ConnectionSeen) -> Option<Interval> {
    if seen.protocol != Protocol::Postgres || !seen.local {
        return None;
    }
    let forked = |group: usize| evidence.processes.iter().filter(move |process| process.group == group);
    (0..evidence.groups.len()).filter(|group| is_database_server(evidence, *group)).find_map(|group| {
        peers::often(evidence, &Series::sum(forked(group).map(|process| &process.started)), LEAST_PER_REQUEST)?;
        let cpu = evidence.per_request(&Series::sum(forked(group).map(|process| &process.cpu_ns)))?;
        (cpu.low > 0.0).then_some(cpu)
    })
}

fn cure(stack: Stack, seen: &ConnectionSeen, several: bool) -> Cure {
    let first = match several {
        true => "make one connection and hand it to all who ask; then ",
        false => "",
    };
    match seen.protocol {
        Protocol::Mysql => {
            let keep = match stack {
                Stack::Php => "keep it: PDO::ATTR_PERSISTENT => true, or mysqli with \"p:\" before the host",
                Stack::Python => "keep it: CONN_MAX_AGE = 60 in Django, a pool in SQLAlchemy",
                Stack::Perl => "keep it: DBI->connect_cached, or Apache::DBI",
                _ => "keep it in a pool as large as the process has threads",
            };
            // A socket has no port in ProxySQL: that is 0.
            let (address, port) = address(seen, "3306", "0");
            Cure::advice(format!(
                "{first}{keep}; or put ProxySQL between, which keeps connections, and connect to 127.0.0.1:6033 (USER and \
                 PASSWORD are the application's; the file is read at the first start only, hence --initial, which forgets \
                 what ProxySQL was told before)"
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
            .command("systemctl stop proxysql && systemctl start proxysql-initial")
        }
        _ => {
            let keep = match stack {
                Stack::Php => "keep it: pg_pconnect in place of pg_connect, or PDO::ATTR_PERSISTENT => true",
                Stack::Python => "keep it: CONN_MAX_AGE = 60 in Django, a pool in SQLAlchemy",
                Stack::Perl => "keep it: DBI->connect_cached, or Apache::DBI",
                _ => "keep it in a pool as large as the process has threads",
            };
            let (host, port) = address(seen, "5432", "5432");
            let mut lines = vec![
                "[databases]".to_owned(),
                format!("* = host={host} port={port}"),
                "[pgbouncer]".into(),
                "listen_addr = 127.0.0.1".into(),
                "listen_port = 6432".into(),
            ];
            if host.starts_with('/') {
                lines.push(format!("unix_socket_dir = {host}"));
            }
            lines.extend(
                [
                    "auth_type = scram-sha-256",
                    "auth_file = /etc/pgbouncer/userlist.txt",
                    "pool_mode = session",
                    "max_client_conn = 200",
                    "default_pool_size = 20",
                ]
                .map(Into::into),
            );
            Cure::advice(format!(
                "{first}{keep} (max_connections of PostgreSQL must be above the number of workers, and what a request leaves \
                 set, the next one finds); or put PgBouncer between, which keeps connections and cleans them, and connect to \
                 port 6432"
            ))
            .lines("/etc/pgbouncer/pgbouncer.ini", lines)
            .command("systemctl restart pgbouncer")
        }
    }
}

/// Host (or folder of the socket, or MySQL's socket) and port of a peer.
fn address<'a>(seen: &'a ConnectionSeen, port: &'a str, socket_port: &'a str) -> (&'a str, &'a str) {
    if peers::is_tcp(seen) {
        let (host, port) = seen.peer.rsplit_once(':').unwrap_or((&seen.peer, port));
        return (host.trim_matches(['[', ']']), port);
    }
    match seen.peer.rsplit_once("/.s.PGSQL.") {
        Some(folder_and_port) => folder_and_port,
        None => (&seen.peer, socket_port),
    }
}

#[cfg(test)]
mod tests;
