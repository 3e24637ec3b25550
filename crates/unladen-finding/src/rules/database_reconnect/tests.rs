use unladen_trace::{GroupSeen, ProcessSeen, State};

use super::super::testing::{self, PHP};
use super::*;

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
fn one_each_is_kept_by_persistence_or_pgbouncer() {
    let found = testing::only(&DatabaseReconnect, &page(seen(Protocol::Postgres, SOCKET, 1)));
    assert_eq!(
        found.summary,
        "1 new connection per request to PostgreSQL at /var/run/postgresql/.s.PGSQL.5432, each with its greeting and login"
    );
    assert!((testing::part(&found).value - 0.005).abs() < 1e-9);
    assert!(found.cure.advice.starts_with("keep it: pg_pconnect"));
    assert_eq!(found.cure.file.as_deref(), Some("/etc/pgbouncer/pgbouncer.ini"));
    assert_eq!(
        found.cure.lines,
        [
            "[databases]",
            "* = host=/var/run/postgresql port=5432",
            "[pgbouncer]",
            "listen_addr = 127.0.0.1",
            "listen_port = 6432",
            "unix_socket_dir = /var/run/postgresql",
            "auth_type = scram-sha-256",
            "auth_file = /etc/pgbouncer/userlist.txt",
            "pool_mode = session",
            "max_client_conn = 200",
            "default_pool_size = 20",
        ]
    );
}

#[test]
fn several_say_first_that_one_would_do() {
    let found = testing::only(&DatabaseReconnect, &page(seen(Protocol::Mysql, "10.0.0.7:3306", 3)));
    assert_eq!(found.summary, "3 new connections per request to MySQL at 10.0.0.7:3306, where one would do");
    assert!(found.cure.advice.starts_with("make one connection and hand it to all who ask; then keep it: PDO"));
    assert!(found.cure.advice.contains("mysqli with \"p:\" before the host"));
    assert_eq!(
        found.cure.lines[1],
        "mysql_servers = ( { address = \"10.0.0.7\", port = 3306, hostgroup = 0, max_connections = 50 } )"
    );
}

#[test]
fn addresses() {
    let of = |protocol, peer: &str| {
        let seen = seen(protocol, peer, 1);
        let (host, port) = address(&seen, "1", "0");
        (host.to_owned(), port.to_owned())
    };
    assert_eq!(of(Protocol::Mysql, "/run/mysqld/mysqld.sock"), ("/run/mysqld/mysqld.sock".into(), "0".into()));
    assert_eq!(of(Protocol::Postgres, "[::1]:5433"), ("::1".into(), "5433".into()));
}

#[test]
fn the_share_was_the_connecting_alone_without_the_login() {
    let seen = ConnectionSeen { logins: testing::counted(1, 2_500_000), ..seen(Protocol::Postgres, SOCKET, 1) };
    // 2.5 ms of greeting and login, and 0.1 ms to connect, of 20 ms.
    let found = testing::only(&DatabaseReconnect, &page(seen));
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
    let found = testing::only(&DatabaseReconnect, &evidence);
    let told = "; the server starts a process for each, 4.4 ms of CPU a request with its queries";
    assert!(found.summary.ends_with(told), "{}", found.summary);
    assert_eq!(found.figures.last().unwrap().name, "server_cpu");
    // One on another machine is not that one.
    evidence.connections[0].local = false;
    assert!(!testing::only(&DatabaseReconnect, &evidence).summary.contains("starts a process"));
    evidence.connections[0].local = true;
    evidence.processes[0].group = PHP;
    assert!(!testing::only(&DatabaseReconnect, &evidence).summary.contains("starts a process"));
}

#[test]
fn kept_ones_are_silent() {
    let of = |count: Series| ConnectionSeen {
        opened: testing::counted_of(count.clone(), 100_000, count),
        ..seen(Protocol::Postgres, SOCKET, 1)
    };
    let one = || seen(Protocol::Postgres, SOCKET, 1);
    testing::silent(&DatabaseReconnect, &page(of(Series::sum([&testing::once_in(4), &testing::once_in(4)]))));
    testing::only(&DatabaseReconnect, &page(of(testing::once_in(2))));
    testing::silent(&DatabaseReconnect, &page(of(testing::once(20))));
    testing::silent(&DatabaseReconnect, &page(ConnectionSeen { unused: testing::each(1), ..one() }));
    testing::silent(&DatabaseReconnect, &page(ConnectionSeen { protocol: Protocol::Redis, ..one() }));
    testing::silent(&DatabaseReconnect, &Evidence { state: State::Fresh, ..page(one()) });
    testing::silent(&DatabaseReconnect, &testing::lean());
    testing::silent(&DatabaseReconnect, &Evidence::default());
}
