//! Each kind of change is seen by the request after it.

use crate::database::Database;
use crate::{SCHEMA, application, before, doc, now, shows};

/// What is done, and the statements, which change what the page shows.
const CHANGES: [(&str, &str); 11] = [
    ("a post comes", "insert into posts (id, body) values (3, 'third post')"),
    ("a post is edited", "update posts set body = 'first post, again' where id = 1"),
    ("another is edited, which was not the latest", "update posts set body = 'second post, again' where id = 2"),
    ("a post goes, which is not the latest", "delete from posts where id = 2"),
    ("a comment comes", "insert into comments values (3, 1, 'a third', 1)"),
    ("a comment is edited", "update comments set body = 'a comment, again' where id = 1"),
    ("a comment is not approved any more", "update comments set approved = 0 where id = 3"),
    ("a comment goes", "delete from comments where id = 1"),
    ("several at once", "insert into posts (id, body) values (11, 'x'), (12, 'y'), (13, 'z')"),
    ("several are edited at once", "update posts set body = 'all alike'"),
    (
        "a transaction of several",
        "begin; update posts set body = 'one' where id = 1; delete from posts where id = 3; commit",
    ),
];

fn every_change_is_seen_at_the_next_request(database: &Database) {
    database.script(SCHEMA);
    database.script(doc::block("sql", database.name()));
    database.grant("page_version");
    let script = application(database);
    let site = before(&script, &doc::validator(database.name(), &database.url()));
    let mut session = database.session();
    let mut last = now(&script);
    shows(&site.get("/").is_asked(200), &last, "at first");
    shows(&site.get("/").is_hit(200), &last, "kept");

    let truncated = match database {
        Database::MariaDb { .. } => format!("truncate table comments; {}", doc::block("sql", "mariadb-after")),
        Database::Postgres { .. } => "truncate comments".to_owned(),
        Database::Sqlite { .. } => "delete from comments".to_owned(),
    };
    let filled = ("comments come", "insert into comments values (21, 1, 'p', 1), (22, 1, 'q', 1)");
    for (what, statements) in CHANGES.into_iter().chain([filled, ("all comments go", &truncated)]) {
        session.run(statements);
        let page = now(&script);
        assert_ne!(page, last, "{what} changes nothing");
        shows(&site.get("/").is_asked(200), &page, what);
        shows(&site.get("/").is_hit(200), &page, what);
        last = page;
    }

    // However fast one follows the other, which is mostly within a second.
    for number in 0..10 {
        session.run(&format!("update posts set body = 'edit {number}' where id = 1"));
        let answer = site.get("/").is_asked(200);
        assert!(answer.text().contains(&format!("edit {number}")), "{answer:?}");
    }
    last = now(&script);
    shows(&site.get("/").is_hit(200), &last, "kept");

    // What is not committed is no change, neither before nor after it is taken back.
    session.run("begin");
    session.run("update posts set body = 'never' where id = 1");
    if !matches!(database, Database::Sqlite { .. }) {
        shows(&site.get("/").is_hit(200), &last, "a transaction that is open");
    }
    session.run("rollback");
    shows(&site.get("/").is_hit(200), &last, "a transaction that was taken back");

    session.run("begin");
    session.run("update posts set body = 'at last' where id = 1");
    session.run("commit");
    let answer = site.get("/").is_asked(200);
    assert!(answer.text().contains("at last"), "{answer:?}");
    site.stop();
}

/// `max(post_modified_gmt)` saw two of these kinds.
#[test]
fn every_kind_of_change_is_seen_by_the_printed_counter_of_postgresql() {
    let database = Database::postgres();
    every_change_is_seen_at_the_next_request(&database);
    writers_do_not_wait_for_each_other(&database, "select pg_backend_pid() % 64");
}

#[test]
fn every_kind_of_change_is_seen_by_the_printed_counter_of_mariadb() {
    let database = Database::mariadb();
    every_change_is_seen_at_the_next_request(&database);
    writers_do_not_wait_for_each_other(&database, "select connection_id() % 64");
}

#[test]
fn every_kind_of_change_is_seen_by_the_printed_counter_of_sqlite() {
    every_change_is_seen_at_the_next_request(&Database::sqlite());
}

/// A counter of one row had each transaction wait for the end of all others, and two of them for each other.
fn writers_do_not_wait_for_each_other(database: &Database, slot: &str) {
    let script = application(database);
    let site = before(&script, &doc::validator(database.name(), &database.url()));
    let mut slow = database.session();
    let taken = slow.run(slot);
    let mut others = Vec::new();
    let mut fast = loop {
        let mut other = database.session();
        if other.run(slot) != taken {
            break other;
        }
        others.push(other);
    };
    slow.run("begin");
    slow.run("update posts set body = 'slow' where id = 1");
    // Held up, it would never come back.
    fast.run("update posts set body = 'fast' where id = 11");
    let page = now(&script);
    assert!(page.contains("fast") && !page.contains("slow"), "{page}");
    shows(&site.get("/").is_asked(200), &page, "the fast one");
    shows(&site.get("/").is_hit(200), &page, "the fast one");
    slow.run("commit");
    let page = now(&script);
    assert!(page.contains("fast") && page.contains("slow"), "{page}");
    shows(&site.get("/").is_asked(200), &page, "the slow one");
    site.stop();
}
