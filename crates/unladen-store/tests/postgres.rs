//! Stores on a real PostgreSQL server.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot be set up fails"
)]
mod server;
mod suite;

use std::thread;

use server::Server;
use suite::SUITE;
use suite::runs::{ids, run};
use unladen_store::{Filter, Location, Mode, RunId, Store, StoreError, open};

fn at(url: &str, mode: Mode) -> Result<Box<dyn Store>, StoreError> {
    open(&url.parse::<Location>().unwrap(), mode)
}

fn error(url: &str, mode: Mode) -> StoreError {
    at(url, mode).map(|store| store.shown().to_owned()).unwrap_err()
}

#[test]
fn what_every_store_does() {
    let server = Server::start();
    for (name, test) in SUITE {
        println!("{name}");
        let url = server.database(name);
        test(&mut *at(&url, Mode::ReadWrite).unwrap());
    }
    // Each store has taken leave of the server.
    assert!(!server.log().contains("unexpected EOF"), "{}", server.log());
}

/// A server that accepts and says nothing held up a measurement for 75 s.
#[test]
fn a_server_that_says_nothing_is_given_up() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("postgres://u@{}/runs?connect_timeout=1", silent.local_addr().unwrap());
    let refused = error(&url, Mode::ReadWrite);
    assert!(refused.to_string().contains("cannot be reached: no answer within 10 s"), "{refused}");
}

#[test]
fn a_server_is_used_as_it_permits() {
    let mut server = Server::start();
    the_tables_are_those_of_sqlite(&server);
    writers_at_once_lose_nothing(&server);
    a_reader_changes_nothing(&server);
    passwords_are_asked_for_and_not_shown(&server);
    tls_is_as_asked_for(&server);
    what_is_not_permitted_is_said(&server);
    a_schema_that_was_given_is_used(&server);
    a_newer_store_is_left_alone(&server);
    a_lock_is_waited_for(&server);
    a_database_of_another_encoding_is_refused(&server);
    a_store_can_be_used_inside_another_runtime(&server);
    a_server_that_crashed_has_all_that_was_kept(&mut server);
}

/// Names of tables with their columns, sorted.
fn the_tables_are_those_of_sqlite(server: &Server) {
    let url = server.database("tables");
    drop(at(&url, Mode::ReadWrite).unwrap());
    let on_server = server.sql(
        "tables",
        "select table_name || '.' || column_name || ' ' || is_nullable from information_schema.columns \
         where table_schema = 'unladen' order by (table_name || '.' || column_name) collate \"C\"",
    );
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("runs.sqlite");
    drop(open(&Location::Sqlite(file.clone()), Mode::ReadWrite).unwrap());
    let connection = rusqlite::Connection::open(file).unwrap();
    let mut columns = connection
        .prepare(
            "select t.name || '.' || c.name || ' ' || iif(c.\"notnull\" or c.pk, 'NO', 'YES') from sqlite_master t, \
             pragma_table_info(t.name) c where t.type = 'table' and t.name not like 'sqlite%' order by t.name || '.' || c.name",
        )
        .unwrap();
    let in_file: Vec<String> = columns.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert_eq!(on_server.lines().collect::<Vec<_>>(), in_file);
    assert!(in_file.contains(&"runs.commit_id YES".to_owned()), "{in_file:?}");
}

fn writers_at_once_lose_nothing(server: &Server) {
    let url = server.database("crowd");
    let kept: Vec<Vec<RunId>> = thread::scope(|scope| {
        let write = |thread: i64| {
            let url = &url;
            move || -> Vec<RunId> {
                // The first of them makes the tables, as the others wait.
                let mut store = at(url, Mode::ReadWrite).unwrap();
                (0..15).map(|time| store.keep(&run("weigh", "page", thread * 100 + time)).unwrap()).collect()
            }
        };
        let threads: Vec<_> = (0..6).map(|thread| scope.spawn(write(thread))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let mut found = ids(&at(&url, Mode::ReadOnly).unwrap().list(&Filter::default()).unwrap());
    found.sort_unstable();
    let mut kept = kept.concat();
    kept.sort_unstable();
    assert_eq!(found, kept);
    assert_eq!(kept.len(), 90);
}

fn a_reader_changes_nothing(server: &Server) {
    let url = server.database("readers");
    let none = error(&url, Mode::ReadOnly);
    assert!(matches!(none, StoreError::NoStore { .. }), "{none}");
    assert_eq!(server.sql("readers", "select count(*) from pg_namespace where nspname = 'unladen'"), "0\n");
    let mut writer = at(&url, Mode::ReadWrite).unwrap();
    let id = writer.keep(&run("weigh", "page", 1)).unwrap();
    let mut reader = at(&url, Mode::ReadOnly).unwrap();
    assert_eq!(ids(&reader.list(&Filter::default()).unwrap()), [id]);
    let refused = reader.keep(&run("weigh", "page", 1)).unwrap_err();
    assert!(matches!(refused, StoreError::ReadOnly { .. }), "{refused}");
    assert_eq!(reader.count(&Filter::default()).unwrap(), 1);
}

fn passwords_are_asked_for_and_not_shown(server: &Server) {
    server.sql("postgres", "create database private owner secret");
    let place = format!("127.0.0.1:{}/private", server.port);
    let mut store = at(&format!("postgres://secret:right@{place}"), Mode::ReadWrite).unwrap();
    assert_eq!(store.shown(), format!("postgres://secret@{place}"));
    store.keep(&run("weigh", "page", 1)).unwrap();
    for url in [
        format!("postgres://secret:hushhush@{place}"),
        format!("postgresql://secret@{place}?password=hushhush"),
        format!("postgres://secret:hushhush@{place}?sslmode=sometimes"),
        format!("postgres://secret:hushhush@{place}?what=is-this"),
        format!("postgres://secret:hushhush@127.0.0.1:{}/not_there", server.port),
        "postgres://secret:hushhush@127.0.0.1:1/private".to_owned(),
        "postgres://secret:hush@hush@127.0.0.1:9/private?a=@".to_owned(),
    ] {
        let location: Location = url.parse().unwrap();
        let error = error(&url, Mode::ReadWrite);
        for shown in [error.to_string(), format!("{error:?}"), format!("{location} {location:?}")] {
            assert!(!shown.contains("hush"), "{shown}");
        }
    }
    let refused = error(&format!("postgres://secret:wrong@{place}"), Mode::ReadWrite);
    assert!(matches!(refused, StoreError::Refused { .. }), "{refused}");
    let refused = error(&format!("postgres://secret@{place}"), Mode::ReadWrite);
    assert!(matches!(refused, StoreError::Refused { .. }), "{refused}");
    let refused = error(&server.url("postgres", "not_there"), Mode::ReadWrite);
    assert!(matches!(refused, StoreError::Refused { .. }) && refused.to_string().contains("not_there"), "{refused}");
    let away = error("postgres://postgres@127.0.0.1:1/private", Mode::ReadWrite);
    assert!(matches!(away, StoreError::Unreachable { .. }), "{away}");
}

fn tls_is_as_asked_for(server: &Server) {
    let url = server.database("tls");
    let roots = server.folder.path().join("server.pem");
    let named = url.replace("127.0.0.1", "localhost");
    let mut store =
        at(&format!("{named}?sslmode=verify-full&sslrootcert={}", roots.display()), Mode::ReadWrite).unwrap();
    store.keep(&run("weigh", "page", 1)).unwrap();
    let encrypted = "select count(*) from pg_stat_ssl join pg_stat_activity using (pid) where ssl and datname = 'tls'";
    assert_eq!(server.sql("tls", encrypted), "1\n");
    let error = error(&format!("{url}?sslmode=verify-full"), Mode::ReadWrite);
    assert!(matches!(error, StoreError::Unreachable { .. }), "{error}");
    assert!(error.to_string().contains("no TLS: "), "{error}");
}

fn what_is_not_permitted_is_said(server: &Server) {
    let url = server.database("narrow");
    server.sql("narrow", "create role guest login");
    let guest = server.url("guest", "narrow");
    let refused = error(&guest, Mode::ReadWrite);
    assert!(matches!(refused, StoreError::Forbidden { .. }), "{refused}");
    let id = at(&url, Mode::ReadWrite).unwrap().keep(&run("weigh", "page", 1)).unwrap();
    let refused = error(&guest, Mode::ReadOnly);
    assert!(matches!(refused, StoreError::Forbidden { .. }), "{refused}");
    // The page says what to grant to those who read, and to those who write.
    let page = include_str!("../../../docs/reference/store.md");
    let grants: Vec<&str> = page.lines().map(str::trim).filter(|line| line.starts_with("GRANT ")).collect();
    let (reading, writing) = grants.split_at(2);
    server.sql("narrow", &reading.join("\n").replace("team", "guest"));
    let mut reader = at(&guest, Mode::ReadOnly).unwrap();
    assert_eq!(ids(&reader.list(&Filter::default()).unwrap()), [id]);
    assert!(reader.run(id).is_ok());
    // Told before anything is measured: it was told when the result was to be kept.
    let refused = error(&guest, Mode::ReadWrite);
    assert!(matches!(refused, StoreError::Forbidden { .. }), "{refused}");
    server.sql("narrow", &writing.join("\n").replace("team", "guest"));
    let mut writer = at(&guest, Mode::ReadWrite).unwrap();
    let second = writer.keep(&run("weigh", "page", 1)).unwrap();
    assert_eq!(writer.remove(&[id, second]).unwrap(), 2);
}

fn a_schema_that_was_given_is_used(server: &Server) {
    server.database("given");
    server.sql("given", "create role modest login; create schema unladen authorization modest");
    let mut store = at(&server.url("modest", "given"), Mode::ReadWrite).unwrap();
    store.keep(&run("weigh", "page", 1)).unwrap();
    assert_eq!(server.sql("given", "select count(*) from unladen.documents"), "1\n");
}

fn a_newer_store_is_left_alone(server: &Server) {
    let url = server.database("newer");
    let id = at(&url, Mode::ReadWrite).unwrap().keep(&run("weigh", "page", 1)).unwrap();
    let set = |schema: &str, made_by: &str| {
        let set = format!(
            "update unladen.store_meta set value = case name when 'schema' then '{schema}' else '{made_by}' end"
        );
        server.sql("newer", &set);
    };
    set("7", "9.1.0");
    for mode in [Mode::ReadWrite, Mode::ReadOnly] {
        let error = error(&url, mode);
        assert!(matches!(error, StoreError::Newer { schema: 7, known: 1, .. }), "{error}");
        assert!(error.to_string().contains("was made by unladen 9.1.0 (schema 7; this version knows 1)"), "{error}");
    }
    set("1", "0.1.0");
    assert!(at(&url, Mode::ReadWrite).unwrap().run(id).is_ok());
}

fn a_lock_is_waited_for(server: &Server) {
    let url = server.database("locked");
    let mut store = at(&url, Mode::ReadWrite).unwrap();
    // Longer than a store waits.
    let hold = "begin; lock table unladen.runs; select pg_sleep(20)";
    let silent = std::process::Stdio::null;
    let mut holder = server.psql("locked", hold).stdout(silent()).stderr(silent()).spawn().unwrap();
    let held = "select count(*) from pg_locks where mode = 'AccessExclusiveLock' and granted and relation = 'unladen.runs'::regclass";
    while server.sql("locked", held) != "1\n" {
        thread::sleep(std::time::Duration::from_millis(10));
    }
    let error = store.keep(&run("weigh", "page", 1)).unwrap_err();
    assert!(matches!(error, StoreError::Locked { .. }), "{error}");
    server.sql("locked", "select pg_terminate_backend(pid) from pg_stat_activity where query like '%pg_sleep(20)' and pid <> pg_backend_pid()");
    holder.wait().unwrap();
    store.keep(&run("weigh", "page", 1)).unwrap();
    assert_eq!(store.count(&Filter::default()).unwrap(), 1);
}

fn a_database_of_another_encoding_is_refused(server: &Server) {
    server.sql("postgres", "create database latin encoding 'LATIN1' locale 'C' template template0");
    let error = error(&server.url("postgres", "latin"), Mode::ReadWrite);
    assert!(error.to_string().contains("encoding is LATIN1"), "{error}");
}

/// A runtime may not be waited for, nor end, on a thread of another.
fn a_store_can_be_used_inside_another_runtime(server: &Server) {
    let url = server.database("inside");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        // By its name, the server is looked up on a thread of the store's runtime.
        let mut store = at(&url.replace("127.0.0.1", "localhost"), Mode::ReadWrite).unwrap();
        let id = store.keep(&run("weigh", "page", 1)).unwrap();
        assert!(store.run(id).is_ok());
        drop(store);
    });
}

fn a_server_that_crashed_has_all_that_was_kept(server: &mut Server) {
    let url = server.database("crashed");
    let mut store = at(&url, Mode::ReadWrite).unwrap();
    let mut kept = vec![store.keep(&run("weigh", "page", 1)).unwrap()];
    for _ in 0..2 {
        server.end();
        let error = store.list(&Filter::default()).unwrap_err();
        assert!(matches!(error, StoreError::Unreachable { .. }), "{error}");
        server.begin();
        // The store connects again, by itself.
        kept.push(store.keep(&run("weigh", "page", 1)).unwrap());
        let mut found = ids(&store.list(&Filter::default()).unwrap());
        found.reverse();
        assert_eq!(found, kept);
        // Between two questions, a restart is not noticed.
        server.end();
        server.begin();
        assert_eq!(store.count(&Filter::default()).unwrap(), kept.len() as u64);
    }
}
