//! Validators that see every change: the counters of docs/concepts/caching.md, taken out of the page as they are
//! printed, on real databases behind a real application; and labels of whole seconds, which see less and are not
//! believed too early.

mod changes;
mod database;
mod doc;
mod dokuwiki;
mod effects;
mod seconds;
#[path = "../../../crates/unladen-validator/tests/servers/mod.rs"]
mod servers;
mod session;
mod wordpress;

use unladen_tests::{Answer, ScriptServer, Site};

use database::Database;

/// Posts and comments on one page: all that the application has.
const SCHEMA: &str = "create table posts (id integer primary key, body varchar(200) not null, changed timestamp null);
    create table comments (id integer primary key, post integer not null, body varchar(200) not null, approved integer not null);
    insert into posts (id, body) values (1, 'first post'), (2, 'second post');
    insert into comments values (1, 1, 'a comment', 1), (2, 2, 'another', 1);";

/// PHP with PDO, a new connection for each request.
fn application(database: &Database) -> ScriptServer {
    let (dsn, user) = database.pdo();
    ScriptServer::php(
        &format!(
            "<?php
            $db = new PDO('{dsn}', '{user}', '', [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);
            // With its length: what ends with the connection may have broken off.
            ob_start();
            foreach ($db->query('select id, body from posts order by id') as $post) {{
                echo \"post $post[0]: $post[1]\\n\";
                $comments = $db->prepare('select body from comments where post = ? and approved = 1 order by id');
                $comments->execute([$post[0]]);
                foreach ($comments as $comment) echo \"  $comment[0]\\n\";
            }}
            header('Content-Type: text/plain');
            header('Content-Length: ' . ob_get_length());"
        ),
        &[],
    )
}

/// `unladen serve` before it, with these tables behind its own.
fn before(script: &ScriptServer, tables: &str) -> Site {
    Site::start(&format!("upstream = \"{}\"\n{tables}", script.url().trim_end_matches('/')))
}

/// What the application says now, asked by itself.
fn now(script: &ScriptServer) -> String {
    let address = script.url().trim_start_matches("http://").trim_end_matches('/').parse().expect("its address");
    unladen_tests::Wire::tcp(address).get("/").is(200).text()
}

#[track_caller]
fn shows(answer: &Answer, text: &str, what: &str) {
    assert_eq!(answer.text(), text, "{what}: {answer:?}");
}
