use unladen_trace::{GroupSeen, ProcessSeen, State};

use super::super::unpooled_tls;
use super::*;
use crate::rules::tests::testing::{self, PHP};

const SOCKET: &str = "/var/run/postgresql/.s.PGSQL.5432";

fn seen(protocol: Protocol, peer: &str, connections: u64) -> ConnectionSeen {
    ConnectionSeen {
        group: PHP,
        peer: peer.into(),
        local: true,
        protocol,
        opened: testing::counted(connections, 100_000),
        ..ConnectionSeen::default()
    }
}

fn page(seen: ConnectionSeen) -> Evidence {
    Evidence { connections: vec![seen], ..testing::lean() }
}

#[test]
fn one_each_is_kept_by_persistence() {
    let found = testing::only(&RULE, &page(seen(Protocol::Postgres, SOCKET, 1)));
    assert_eq!(
        found.summary,
        "1 new connection per request to PostgreSQL at /var/run/postgresql/.s.PGSQL.5432, each with its greeting and login"
    );
    assert!((testing::part(&found).value - 0.005).abs() < 1e-9);
    assert!(found.fix.advice.starts_with("keep it: pg_pconnect"));
    // Who is known by being that user of the system cannot be handed on.
    assert!(found.fix.lines.is_empty(), "{:?}", found.fix);
}

/// Nobody was let in: the file of users was named, and not made.
#[test]
fn pgbouncer_was_without_its_users() {
    let fix = testing::only(&RULE, &page(seen(Protocol::Postgres, "127.0.0.1:5433", 1))).fix;
    assert_eq!(fix.file.as_deref(), Some("/etc/pgbouncer/pgbouncer.ini"));
    assert_eq!(
        fix.lines,
        [
            "[databases]",
            "* = host=127.0.0.1 port=5433",
            "[pgbouncer]",
            "listen_addr = 127.0.0.1",
            "listen_port = 6432",
            "unix_socket_dir = /var/run/postgresql",
            "logfile = /var/log/postgresql/pgbouncer.log",
            "pidfile = /var/run/postgresql/pgbouncer.pid",
            "auth_type = scram-sha-256",
            "auth_file = /etc/pgbouncer/userlist.txt",
            "pool_mode = session",
            "max_client_conn = 200",
            "default_pool_size = 20",
        ]
    );
    assert!(
        fix.commands[0].contains("-p 5433 ") && fix.commands[0].contains(">/etc/pgbouncer/userlist.txt"),
        "{fix:?}"
    );
    assert_eq!(fix.commands[1], "systemctl restart pgbouncer");
}

#[test]
fn pgbouncer_was_put_before_pgbouncer() {
    let fix = |evidence: &Evidence| testing::only(&RULE, evidence).fix;
    for port in [6432, 5439] {
        let mut evidence = page(seen(Protocol::Postgres, &format!("127.0.0.1:{port}"), 1));
        if port != 6432 {
            let exe = Some("/usr/sbin/pgbouncer".to_owned());
            evidence.groups.push(GroupSeen { name: "postgres pgbouncer".into(), exe, ..GroupSeen::default() });
            // Nor is the pooler itself told to have one.
            let own = ConnectionSeen { group: evidence.groups.len() - 1, ..seen(Protocol::Postgres, SOCKET, 1) };
            evidence.connections.push(own);
        }
        let fix = fix(&evidence);
        assert!(fix.lines.is_empty() && fix.advice.contains("PgBouncer is already in front"), "{fix:?}");
    }
}

/// Of two applications of a machine, the other one's pooler was taken for one that stands before this one's database.
#[test]
fn pgbouncer_was_taken_for_a_pooler_of_mariadb() {
    let mut evidence = of_wordpress("127.0.0.1:3306");
    let exe = Some("/usr/sbin/pgbouncer".to_owned());
    evidence.groups.push(GroupSeen { name: "postgres pgbouncer".into(), exe, ..GroupSeen::default() });
    let fix = testing::only(&RULE, &evidence).fix;
    assert!(!fix.advice.contains("PgBouncer") && !fix.commands.is_empty(), "{fix:?}");
}

fn of_wordpress(peer: &str) -> Evidence {
    let file = testing::file(
        PHP,
        unladen_trace::FileCall::Stat,
        "/srv/blog/wp-includes/post.php",
        unladen_trace::FileOutcome::Found,
        1,
    );
    Evidence { files: vec![file], ..page(seen(Protocol::Mysql, peer, 1)) }
}

/// WordPress takes `p` for the host; with address and port it hands it on whole.
#[test]
fn p_localhost_broke_wordpress() {
    let fix = testing::only(&RULE, &of_wordpress("127.0.0.1:3307")).fix;
    assert!(fix.commands[0].contains("p:127.0.0.1:3307") && fix.commands[0].contains(" /srv/blog/wp-config.php "));
    assert_eq!(fix.commands[1], "systemctl reload php8.2-fpm");
    let by_socket = testing::only(&RULE, &of_wordpress("/run/mysqld/mysqld.sock")).fix;
    assert!(
        by_socket.commands.is_empty() && by_socket.advice.contains("only with an IPv4 address and a port"),
        "{by_socket:?}"
    );
    let mut debian = of_wordpress("127.0.0.1:3307");
    debian.files[0].path = "/etc/wordpress/config-default.php".into();
    debian.files.push(testing::file(
        PHP,
        unladen_trace::FileCall::Stat,
        "/usr/share/wordpress/wp-includes/a.php",
        unladen_trace::FileOutcome::Found,
        1,
    ));
    assert!(testing::only(&RULE, &debian).fix.commands[0].contains(" /etc/wordpress/config-default.php "));
}

/// The whole line was replaced: `if (DEV) { … } else {` lost its braces.
#[test]
fn a_line_lost_what_stood_around_the_call() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("wp-config.php");
    let changed = |before: &str| {
        std::fs::write(&file, before).unwrap();
        let command = in_place(&quoting::word(file.to_str().unwrap()), "127.0.0.1:3306");
        let output = std::process::Command::new("sh").args(["-c", &command]).output().unwrap();
        let after = std::fs::read_to_string(&file).unwrap();
        assert_eq!(output.status.success(), after != before, "{before}: {output:?}");
        (after != before).then_some(after)
    };
    let new = "define( 'DB_HOST', 'p:127.0.0.1:3306' );";
    for (before, after) in [
        ("<?php\ndefine( 'DB_HOST', 'localhost' );\n", format!("<?php\n{new}\n")),
        ("if (DEV) { define('DB_HOST','x'); } else {\n", format!("if (DEV) {{ {new} }} else {{\n")),
        ("define (\"DB_HOST\", getenv('H') ?: 'x'); // ours\n", format!("{new} // ours\n")),
    ] {
        assert_eq!(changed(before), Some(after), "{before}");
    }
    for by_hand in [
        "define('DB_HOST','x'); define('DB_HOST','y');\n",
        "if (DEV) { define('DB_HOST','x'); } else {\ndefine('DB_HOST','y'); }\n",
        "// define('DB_HOST','x');\n",
        "define('DB_HOST',\n'x');\n",
        "require 'settings.php';\n",
    ] {
        assert_eq!(changed(by_hand), None, "{by_hand}");
    }
}

/// The list was emptied before there was another, and the shell kept its umask.
#[test]
fn a_list_of_users_was_emptied_before_psql_had_answered() {
    for (local, peer) in [(true, "127.0.0.1:5432"), (false, "10.0.0.7:5432")] {
        let seen = ConnectionSeen { local, ..seen(Protocol::Postgres, peer, 1) };
        let command = testing::only(&RULE, &page(seen)).fix.commands.remove(0);
        assert!(command.starts_with("(umask 077; ") && !command.contains(">/etc/pgbouncer/userlist.txt "), "{command}");
        assert!(command.contains("&& mv --backup=simple /etc/pgbouncer/userlist.txt.new "), "{command}");
    }
}

#[test]
fn several_say_first_that_one_would_do() {
    let found = testing::only(&RULE, &page(seen(Protocol::Mysql, "10.0.0.7:3306", 3)));
    assert_eq!(found.summary, "3 new connections per request to MySQL at 10.0.0.7:3306, where one is enough");
    assert!(found.fix.advice.starts_with("make one connection and pass it to all callers; then keep it: PDO"));
    assert!(found.fix.advice.contains("mysqli with \"p:\" before the host"));
    assert_eq!(
        found.fix.lines[1],
        "mysql_servers = ( { address = \"10.0.0.7\", port = 3306, hostgroup = 0, max_connections = 50 } )"
    );
}

#[test]
fn addresses() {
    let of = |protocol, peer: &str| {
        let seen = seen(protocol, peer, 1);
        address(&seen, 0).map(|(host, port)| (host.to_owned(), port))
    };
    assert_eq!(of(Protocol::Mysql, "/run/mysqld/mysqld.sock"), Some(("/run/mysqld/mysqld.sock".into(), 0)));
    assert_eq!(of(Protocol::Postgres, "[::1]:5433"), Some(("::1".into(), 5433)));
    assert_eq!(of(Protocol::Postgres, SOCKET), Some(("/var/run/postgresql".into(), 5432)));
}

/// All that followed `.s.PGSQL.` was printed as a part of a command that root runs.
#[test]
fn a_socket_was_called_what_a_shell_runs() {
    for (protocol, peer) in [
        (Protocol::Postgres, "/tmp/.s.PGSQL.5432; id #:5432"),
        (Protocol::Postgres, "$(id):5432"),
        (Protocol::Mysql, "/run/x\" }; mysql_users = ( #"),
        (Protocol::Mysql, "a\" , y = \":3306"),
    ] {
        let fix = testing::only(&RULE, &page(seen(protocol, peer, 1))).fix;
        assert!(fix.lines.is_empty() && fix.commands.is_empty(), "{peer}: {fix:?}");
    }
    let sockets = ["/tmp/.s.PGSQL.5432; id #", "/tmp/$(id)/.s.PGSQL.5432", "/tmp/.s.PGSQL.70000"];
    assert!(sockets.iter().all(|peer| address(&seen(Protocol::Postgres, peer, 1), 0).is_none()));
}

#[test]
fn the_share_was_the_connecting_alone_without_the_login() {
    let seen = ConnectionSeen { logins: testing::counted(1, 2_500_000), ..seen(Protocol::Postgres, SOCKET, 1) };
    // 2.5 ms of greeting and login, and 0.1 ms to connect, of 20 ms.
    let found = testing::only(&RULE, &page(seen));
    assert!((testing::part(&found).value - 0.13).abs() < 1e-9);
    assert_eq!(found.figures[1].name, "login");
}

#[test]
fn the_process_that_the_server_starts_is_told_with_it() {
    let mut evidence = page(seen(Protocol::Postgres, SOCKET, 1));
    evidence.groups.push(GroupSeen { name: "postgres postgres".into(), ..GroupSeen::default() });
    let group = evidence.groups.len() - 1;
    evidence.processes = vec![ProcessSeen {
        group,
        program: String::new(),
        started: testing::each(1),
        cpu_ns: testing::each(4_400_000),
    }];
    let found = testing::only(&RULE, &evidence);
    let told = "; the server starts a process for each, 4.4 ms of CPU a request with its queries";
    assert!(found.summary.ends_with(told), "{}", found.summary);
    assert_eq!(found.figures.last().unwrap().name, "server_cpu");
    // One on another machine is not that one.
    evidence.connections[0].local = false;
    assert!(!testing::only(&RULE, &evidence).summary.contains("starts a process"));
    evidence.connections[0].local = true;
    evidence.processes[0].group = PHP;
    assert!(!testing::only(&RULE, &evidence).summary.contains("starts a process"));
}

#[test]
fn kept_ones_are_silent() {
    let of = |count: Series| ConnectionSeen {
        opened: testing::counted_of(count.clone(), 100_000, count),
        ..seen(Protocol::Postgres, SOCKET, 1)
    };
    let one = || seen(Protocol::Postgres, SOCKET, 1);
    testing::silent(&RULE, &page(of(Series::sum([&testing::once_in(4), &testing::once_in(4)]))));
    testing::only(&RULE, &page(of(testing::once_in(2))));
    testing::silent(&RULE, &page(of(testing::once(20))));
    testing::silent(&RULE, &page(ConnectionSeen { unused: testing::each(1), ..one() }));
    testing::silent(&RULE, &page(ConnectionSeen { protocol: Protocol::Redis, ..one() }));
    testing::silent(&RULE, &Evidence { state: State::Fresh, ..page(one()) });
    testing::silent(&RULE, &testing::lean());
    testing::silent(&RULE, &Evidence::default());
}

/// Django's PostgreSQL, which libpq asks over TLS even on loopback, was called an HTTPS service without connections kept.
#[test]
fn a_database_that_is_asked_over_tls_was_taken_for_a_web_service() {
    let of = |inside: Protocol, peer: &str| {
        let handshakes = testing::counted(1, 3_000_000);
        page(ConnectionSeen { inside: Some(inside), handshakes, ..seen(Protocol::Tls, peer, 1) })
    };
    let evidence = of(Protocol::Postgres, "127.0.0.1:5432");
    let found = testing::only(&RULE, &evidence);
    assert_eq!(
        found.summary,
        "1 new connection per request to PostgreSQL at 127.0.0.1:5432, each with its greeting, TLS handshake and login"
    );
    assert!(found.fix.advice.starts_with("connect without TLS"), "{found:?}");
    assert!(found.fix.advice.contains("then keep it: pg_pconnect"), "{found:?}");
    testing::silent(&unpooled_tls::RULE, &evidence);
    let evidence = of(Protocol::Mysql, "10.0.0.7:3306");
    assert!(testing::only(&RULE, &evidence).summary.contains("to MySQL at 10.0.0.7:3306"));
    testing::silent(&unpooled_tls::RULE, &evidence);
    // What a web server says through a tunnel is none.
    testing::silent(&RULE, &of(Protocol::Http, "10.0.0.7:3128"));
}

/// Node.js has one thread, and was told to make a pool as large as it has.
#[test]
fn node_was_told_of_its_threads() {
    let advice = |exe: &str| {
        let mut evidence = page(seen(Protocol::Postgres, "127.0.0.1:5432", 1));
        evidence.groups[PHP] = GroupSeen { name: "app.service".into(), exe: Some(exe.into()), ..GroupSeen::default() };
        evidence.php.clear();
        evidence.compiles.clear();
        testing::only(&RULE, &evidence).fix.advice
    };
    assert!(advice("/usr/bin/node").starts_with("keep it in one pool, made when the process starts (new Pool() of pg"));
    assert!(advice("/usr/bin/ruby3.1").starts_with("keep it in ActiveRecord's pool"));
    assert!(advice("/usr/bin/node_exporter").contains("as the process has threads"));
}

/// 2.59 ms were said, and a kept connection saved 6.1: PostgreSQL's new process fills its caches with the first queries.
#[test]
fn a_new_servers_empty_caches_were_left_out() {
    let mut evidence = page(seen(Protocol::Postgres, SOCKET, 1));
    let saved = |evidence: &Evidence| match testing::only(&RULE, evidence).saves {
        Saves::AtMost { time, .. } => time,
        Saves::NotKnown(why) => panic!("{why}"),
    };
    assert!((saved(&evidence) - 150e3).abs() < 1.0);
    evidence.queries = vec![unladen_trace::QuerySeen {
        group: PHP,
        database: SOCKET.into(),
        counted: testing::counted(4, 1_500_000),
        ..Default::default()
    }];
    assert!((saved(&evidence) - 1.5 * 6_100e3).abs() < 1.0, "{}", saved(&evidence));
    let found = testing::only(&RULE, &evidence);
    let Share::Known { time, .. } = found.takes else { panic!("{found:?}") };
    assert_eq!((time.value.round(), time.high.round()), (100e3, 6_100e3), "the upper end is open to it");
    // MySQL's threads share theirs.
    evidence.connections = vec![seen(Protocol::Mysql, SOCKET, 1)];
    assert!((saved(&evidence) - 150e3).abs() < 1.0);
}
