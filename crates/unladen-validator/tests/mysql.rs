//! Questions to a real MariaDB server.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up fails")]
mod servers;

use std::process::Command;
use std::time::{Duration, Instant};

use servers::{Server, ask, done, run, signal, validator};
use tokio::task::JoinSet;
use unladen_validator::{AskError, Validator, ValidatorSource};

const LONG: Duration = Duration::from_secs(10);

struct MariaDb {
    server: Server,
}

impl MariaDb {
    fn start() -> Self {
        let mariadb = Self { server: Server::mariadb() };
        mariadb.sql("create database site; create user asker@localhost identified by 'right'");
        mariadb.sql("grant select, delete on site.* to asker@localhost");
        mariadb.sql(
            "create table site.page (id int primary key, ref varchar(100), at datetime(6), ts timestamp(3) null, took time(2), size decimal(10,2), part double, half float, hits bigint unsigned, body blob)",
        );
        mariadb.sql(
            "insert into site.page values (12, 'picnic', '2026-01-02 03:04:05.678901', '2026-01-02 03:04:05.678', '-26:03:04.5', 1.10, 0.1, 0.5, 18446744073709551615, x'00ff')",
        );
        mariadb
    }

    fn sql(&self, sql: &str) -> String {
        let mut mariadb = Command::new("mariadb");
        mariadb.args(["--no-defaults", "-N", "-B", "-S"]).arg(self.server.folder.path().join("socket"));
        done(mariadb.args(["-e", sql]))
    }

    fn source(&self, user: &str, query: &str) -> ValidatorSource {
        let url =
            format!("mysql://{user}@localhost/site?socket={}", self.server.folder.path().join("socket").display());
        let parameters = if query.contains('?') { vec!["a".to_owned()] } else { vec![] };
        ValidatorSource::MySql { url, query: query.to_owned(), parameters }
    }

    fn validator(&self, query: &str, timeout: Duration) -> std::sync::Arc<Validator> {
        validator(self.source("asker:right", query), timeout)
    }
}

#[test]
fn questions_are_answered_and_outages_end() {
    let mut mariadb = MariaDb::start();
    answers_are_text_whatever_the_types_are(&mariadb);
    errors_are_told_apart(&mariadb);
    changes_are_seen(&mariadb);
    a_slow_question_ends_alone(&mariadb);
    many_are_asked(&mariadb);
    outages_end(&mut mariadb);
}

fn answers_are_text_whatever_the_types_are(mariadb: &MariaDb) {
    for (query, a, answer) in [
        ("select ref from page where id = ?", "12", Some("picnic")),
        ("select id from page where ref = ?", "picnic", Some("12")),
        ("select at from page where id = ?", "12", Some("2026-01-02 03:04:05.678901")),
        ("select ts from page where id = ?", "12", Some("2026-01-02 03:04:05.678000")),
        ("select took from page where id = ?", "12", Some("-26:03:04.500000")),
        ("select size from page where id = ?", "12", Some("1.10")),
        ("select part from page where id = ?", "12", Some("0.1")),
        ("select half from page where id = ?", "12", Some("0.5")),
        ("select hits from page where id = ?", "12", Some("18446744073709551615")),
        ("select hex(body) from page where id = ?", "12", Some("00FF")),
        ("select unix_timestamp(at) - unix_timestamp('2026-01-02') from page where id = ?", "12", Some("11045.678901")),
        ("select id, ref, id from page where id = ? order by id desc limit 3", "12", Some("12")),
        ("select seq from seq_1_to_100000 where ? <> '' order by seq desc", "x", Some("100000")),
        ("select null from page where id = ?", "12", None),
        ("select id from page where id = ?", "13", None),
        ("select id from page where id = ?", "abc", None),
        ("select ?", "ü'\";--", Some("ü'\";--")),
        ("select max(id) from page", "x", Some("12")),
    ] {
        let validator = mariadb.validator(query, LONG);
        assert_eq!(validator.try_once(), Ok(()), "{query}");
        assert_eq!(run(ask(&validator, a)), Ok(answer.map(str::to_owned)), "{query}");
    }
}

fn errors_are_told_apart(mariadb: &MariaDb) {
    let error = |source: ValidatorSource| {
        let validator = validator(source, LONG);
        let tried = validator.try_once().unwrap_err();
        assert_eq!(tried, run(ask(&validator, "12")).unwrap_err());
        (tried.into_str(), tried.to_string())
    };
    let missing = error(mariadb.source("asker:right", "select 1 from pledges where ref = ?"));
    assert_eq!(missing, ("query", "the query fails: Table 'site.pledges' doesn't exist (1146)".to_owned()));
    assert_eq!(error(mariadb.source("asker:right", "select ref from page where ? = '?")).0, "query");
    let mut none = mariadb.source("asker:right", "select ?");
    if let ValidatorSource::MySql { parameters, .. } = &mut none {
        parameters.clear();
    }
    assert_eq!(error(none).1, "the query fails: it has 1 parameter(s), but `parameters` has 0 name(s)");
    let wrong = error(mariadb.source("asker:wrong", "select ?"));
    assert!(wrong.0 == "refused" && wrong.1.contains("Access denied") && !wrong.1.contains("wrong"), "{wrong:?}");
    assert_eq!(error(mariadb.source("nobody_there", "select ?")).0, "refused");
    let nowhere = ValidatorSource::MySql {
        url: "mysql://u:hush@localhost/x?socket=/nonexistent".to_owned(),
        query: "select 1".to_owned(),
        parameters: vec![],
    };
    let nowhere = error(nowhere);
    assert!(
        nowhere.0 == "unreachable" && nowhere.1.contains("/nonexistent") && !nowhere.1.contains("hush"),
        "{nowhere:?}"
    );
    // A validator never writes.
    let write = mariadb.validator("delete from page where id = ?", LONG);
    assert_eq!(run(ask(&write, "12")).unwrap_err().into_str(), "query");
    assert_eq!(mariadb.sql("select count(*) from site.page").trim(), "1");
}

fn changes_are_seen(mariadb: &MariaDb) {
    let validator = mariadb.validator("select hits from page where id = ?", LONG);
    run(async {
        for hits in 0..20 {
            mariadb.sql(&format!("update site.page set hits = {hits} where id = 12"));
            assert_eq!(ask(&validator, "12").await, Ok(Some(hits.to_string())));
        }
    });
}

fn a_slow_question_ends_alone(mariadb: &MariaDb) {
    let validator = mariadb.validator("select sleep(if(? = 'slow', 60, 0))", Duration::from_millis(400));
    run(async {
        assert_eq!(ask(&validator, "fast").await, Ok(Some("0".to_owned())));
        // MariaDB ends it with an answer of its own: 1, or an error. Left to itself it would take a minute, and be 0.
        let slow = tokio::time::timeout(LONG * 3, ask(&validator, "slow")).await.expect("it ends by itself");
        assert!(slow == Err(AskError::Timeout) || slow == Ok(Some("1".to_owned())), "{slow:?}");
        assert_eq!(ask(&validator, "fast").await, Ok(Some("0".to_owned())));
        assert_eq!(
            mariadb.sql("select count(*) from information_schema.processlist where info like 'select sleep%'").trim(),
            "0"
        );
    });
}

fn many_are_asked(mariadb: &MariaDb) {
    const QUESTIONS: usize = 10_000;
    mariadb.sql("use site; insert into page (id, ref) select seq, concat('ref', seq) from seq_1000_to_10999; create index refs on page (ref)");
    let validator = mariadb.validator("select id from page where ref = ?", LONG);
    run(async {
        let begun = Instant::now();
        let mut tasks = JoinSet::new();
        for task in 0..32 {
            let validator = validator.clone();
            tasks.spawn_local(async move {
                for number in (task..QUESTIONS).step_by(32) {
                    assert_eq!(
                        ask(&validator, &format!("ref{}", 1000 + number)).await,
                        Ok(Some((1000 + number).to_string()))
                    );
                }
            });
        }
        tasks.join_all().await;
        eprintln!("MariaDB: {:.0} questions/s on one thread", QUESTIONS as f64 / begun.elapsed().as_secs_f64());
    });
    let connections = mariadb.sql("select count(*) from information_schema.processlist where user = 'asker'");
    assert!(connections.trim().parse::<u32>().unwrap() <= 2, "{connections}");
}

fn outages_end(mariadb: &mut MariaDb) {
    let validator = mariadb.validator("select ref from page where id = ?", Duration::from_millis(400));
    let picnic = Ok(Some("picnic".to_owned()));
    run(async {
        assert_eq!(ask(&validator, "12").await, picnic);
        mariadb.server.end();
        for _ in 0..10 {
            assert_eq!(ask(&validator, "12").await.unwrap_err().into_str(), "unreachable");
        }
        mariadb.server.begin();
        comes_back(&validator).await;

        // Between two questions, nobody notices a restart.
        mariadb.server.end();
        mariadb.server.begin();
        assert_eq!(ask(&validator, "12").await, picnic);

        let stopped = mariadb.server.processes();
        signal("STOP", &stopped);
        for number in 0..3 {
            // The server says nothing, so only the validator's own time can end it.
            let answer = tokio::time::timeout(LONG, ask(&validator, "12")).await.expect("it ends by itself");
            assert_eq!(answer, Err(AskError::Timeout), "{number}");
        }
        signal("CONT", &stopped);
        comes_back(&validator).await;
    });
}

async fn comes_back(validator: &std::sync::Arc<Validator>) {
    let until = Instant::now() + LONG;
    while let Err(error) = ask(validator, "12").await {
        assert!(Instant::now() < until, "{error}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
