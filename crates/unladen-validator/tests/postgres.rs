//! Questions to a real PostgreSQL server.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up fails")]
mod servers;

use std::time::{Duration, Instant};

use servers::postgres::Postgres;
use servers::{ask, run, signal, validator};
use tokio::task::JoinSet;
use unladen_validator::{AskError, Validator, ValidatorSource};

const LONG: Duration = Duration::from_secs(10);

fn of(error: &AskError) -> (&'static str, String) {
    (error.into_str(), error.to_string())
}

#[test]
fn questions_are_answered() {
    let postgres = Postgres::start();
    answers_are_text_whatever_the_types_are(&postgres);
    times_are_told_alike_however_the_server_is_set(&postgres);
    what_is_no_value_is_no_row(&postgres);
    errors_are_told_apart(&postgres);
    tls_is_as_asked_for(&postgres);
    a_table_that_changes_is_asked_all_the_same(&postgres);
    a_slow_question_ends_alone(&postgres);
    many_are_asked(&postgres);
}

fn answers_are_text_whatever_the_types_are(postgres: &Postgres) {
    for (query, a, answer) in [
        ("select ref from page where id = $1", "12", Some("picnic")),
        ("select id from page where ref = $1", "picnic", Some("12")),
        ("select id from page where key = $1", "A0EEBC99-9c0b-4ef8-bb6d-6bb9bd380a11", Some("12")),
        ("select key from page where hits = $1", "9007199254740993", Some("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11")),
        ("select hits from page where size = $1", "1.1", Some("9007199254740993")),
        ("select size from page where part = $1", "0.1", Some("1.10")),
        ("select part from page where changed = $1", "2026-01-02 03:04:05.678901Z", Some("0.1")),
        ("select changed at time zone 'utc' from page where id = $1", "12", Some("2026-01-02 03:04:05.678901")),
        ("select extract(epoch from changed) from page where id = $1", "12", Some("1767323045.678901")),
        ("select row(id, ref) from page where id = $1", "12", Some("(12,picnic)")),
        ("select '\\x00ff'::bytea from page where id = $1", "12", Some("\\x00ff")),
        ("select true, id, ref from page where id = $1", "12", Some("true")),
        ("select id, id from page where id = $1", "12", Some("12")),
        (
            "select n from generate_series(1, 100000) as n where $1 <> '' order by n desc -- the last",
            "x",
            Some("100000"),
        ),
        ("with p as (select * from page) select ref from p where id = $1 limit 1;", "12", Some("picnic")),
        ("select null::int from page where id = $1", "12", None),
        ("select id from page where id = $1", "13", None),
        ("select $1", "ü'\";--", Some("ü'\";--")),
        ("select max(id) from page", "x", Some("12")),
    ] {
        let validator = postgres.validator(query, LONG);
        assert_eq!(validator.try_once(), Ok(()), "{query}");
        assert_eq!(run(ask(&validator, a)), Ok(answer.map(str::to_owned)), "{query}");
    }
}

/// Whole seconds that are told as `05/01/2024` would be known for no time, and believed at once.
fn times_are_told_alike_however_the_server_is_set(postgres: &Postgres) {
    postgres.sql("alter database postgres set datestyle = 'SQL, DMY'");
    postgres.sql("alter database postgres set timezone = 'America/New_York'");
    for (query, answer) in [
        ("select '01/02/2024 08:00:00'::timestamp from page where id = $1", "2024-02-01 08:00:00"),
        ("select '2024-02-01 08:00:00Z'::timestamptz from page where id = $1", "2024-02-01 03:00:00-05"),
        (
            "select extract(epoch from '2024-02-01 08:00:00Z'::timestamptz::timestamp) from page where id = $1",
            "1706756400.000000",
        ),
    ] {
        let validator = postgres.validator(query, LONG);
        assert_eq!(run(ask(&validator, "12")), Ok(Some(answer.to_owned())), "{query}");
    }
    postgres.sql("alter database postgres reset all");
}

fn what_is_no_value_is_no_row(postgres: &Postgres) {
    for (query, texts) in [
        ("select 1 from page where id = $1", &["abc", "", "1 2", "12abc", "99999999999", "0x", "1_", "--1", "1.5"][..]),
        ("select 1 from page where hits = $1", &["abc", "9223372036854775808"]),
        ("select 1 from page where key = $1", &["abc", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1", "{{{}"]),
        ("select 1 from page where part = $1", &["abc", "1e999"]),
        ("select 1 from page where size = $1", &["abc", "1..2"]),
        ("select 1 from page where changed = $1", &["abc", "2026-13-01"]),
    ] {
        let validator = postgres.validator(query, LONG);
        run(async {
            for text in texts {
                assert_eq!(ask(&validator, text).await, Ok(None), "{query} {text}");
            }
        });
        let state = validator.state();
        assert_eq!((state.answered, state.failed), (texts.len() as u64, 0), "{query}");
    }
    // What can be known here is not sent: it would fill the server's log.
    assert!(
        !postgres.server.log().contains("\"abc\"")
            || postgres.server.log().contains("type timestamp with time zone: \"abc\"")
    );
    assert!(!postgres.server.log().contains("integer: \"abc\""), "{}", postgres.server.log());
}

fn errors_are_told_apart(postgres: &Postgres) {
    let error = |source: ValidatorSource| {
        let validator = validator(source, LONG);
        let tried = validator.try_once().unwrap_err();
        let asked = run(ask(&validator, "12")).unwrap_err();
        assert_eq!(tried, asked);
        assert_eq!(validator.state().last_error, Some(asked.to_string()));
        of(&asked)
    };
    let missing = error(postgres.source("postgres", "select 1 from pledges where ref = $1"));
    assert_eq!(missing, ("query", "the query fails: relation \"pledges\" does not exist (42P01)".to_owned()));
    let column = error(postgres.source("postgres", "select 1 from page where reff = $1"));
    assert_eq!(column.0, "query");
    assert_eq!(
        error(postgres.source("postgres", "select 1 where $1 = 'a' and $2 = 'b'")).1,
        "the query fails: it has 2 parameter(s), but `parameters` has 1 name(s)"
    );
    assert_eq!(error(postgres.source("postgres", "delete from page where id = $1")).0, "query");
    let wrong = error(postgres.source("secret:wrong", "select $1"));
    assert_eq!(wrong, ("refused", "refused: password authentication failed for user \"secret\" (28P01)".to_owned()));
    assert_eq!(error(postgres.source("secret", "select $1")).0, "refused");
    assert_eq!(error(postgres.source("nobody_there", "select $1")).0, "refused");
    let nowhere = ValidatorSource::Postgres {
        url: "postgres://u:hush@/db?host=/nonexistent".to_owned(),
        query: "select 1".to_owned(),
        parameters: vec![],
    };
    let nowhere = error(nowhere);
    assert!(
        nowhere.0 == "unreachable" && nowhere.1.contains("/nonexistent") && !nowhere.1.contains("hush"),
        "{nowhere:?}"
    );
    let right = validator(postgres.source("secret:right", "select $1"), LONG);
    assert_eq!(run(ask(&right, "x")), Ok(Some("x".to_owned())));

    // Looked at when it is asked, not when it is prepared: the connection is kept.
    let forbidden = validator(postgres.source("secret:right", "select 1 from page where id = $1"), LONG);
    run(async {
        for _ in 0..5 {
            assert_eq!(
                ask(&forbidden, "12").await.unwrap_err().to_string(),
                "the query fails: permission denied for table page (42501)"
            );
        }
        postgres.sql("grant select on page to secret");
        assert_eq!(ask(&forbidden, "12").await, Ok(Some("1".to_owned())));
        assert_eq!(postgres.sql("select count(*) from pg_stat_activity where usename = 'secret'").trim(), "1");
    });
}

fn tls_is_as_asked_for(postgres: &Postgres) {
    let asked = |host: &str, parameters: &str| {
        let url = format!("postgres://postgres@{host}:{}/postgres?{parameters}", postgres.port);
        let query = "select ssl from pg_stat_ssl where pid = pg_backend_pid()".to_owned();
        let validator = validator(ValidatorSource::Postgres { url, query, parameters: vec![] }, LONG);
        run(ask(&validator, "x")).map_err(|error| error.to_string())
    };
    let roots = format!("sslrootcert={}", postgres.server.folder.path().join("server.pem").display());
    let encrypted = Ok(Some("true".to_owned()));
    assert_eq!(asked("localhost", "sslmode=require"), encrypted);
    assert_eq!(asked("localhost", "sslmode=prefer"), encrypted);
    assert_eq!(asked("localhost", &format!("sslmode=verify-full&{roots}")), encrypted);
    assert_eq!(asked("127.0.0.1", &format!("sslmode=verify-ca&{roots}")), encrypted);
    assert_eq!(asked("127.0.0.1", &format!("sslmode=require&{roots}")), encrypted);
    for (host, parameters) in
        [("127.0.0.1", format!("sslmode=verify-full&{roots}")), ("localhost", "sslmode=verify-ca".to_owned())]
    {
        let refused = asked(host, &parameters).unwrap_err();
        assert!(refused.contains("certificate"), "{refused}");
    }
    // This server lets nobody in without TLS.
    assert!(asked("localhost", "sslmode=disable").unwrap_err().contains("no encryption"));
    // One elsewhere is never spoken to without it, unless that is asked for.
    let url = "postgres://u@db.example/x".to_owned();
    let far = Validator::new(
        servers::settings(ValidatorSource::Postgres { url, query: "select 1".to_owned(), parameters: vec![] }, LONG),
        1,
    );
    assert!(format!("{far:?}").contains("db.example"), "{far:?}");
}

fn a_table_that_changes_is_asked_all_the_same(postgres: &Postgres) {
    postgres.sql("create table moving (id int, v int); insert into moving values (1, 1)");
    let validator = postgres.validator("select v from moving where id = $1", LONG);
    run(async {
        assert_eq!(ask(&validator, "1").await, Ok(Some("1".to_owned())));
        postgres.sql("alter table moving alter v type text using 'v' || v, alter id type text using 'id' || id");
        // The prepared statement takes a number still.
        let until = Instant::now() + LONG;
        while ask(&validator, "id1").await != Ok(Some("v1".to_owned())) {
            assert!(Instant::now() < until, "{:?}", validator.state());
            let _ = ask(&validator, "1").await;
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        postgres.sql("drop table moving");
        assert_eq!(ask(&validator, "id1").await.unwrap_err().into_str(), "query");
        postgres.sql("create table moving (id int, v int); insert into moving values (1, 3)");
        while ask(&validator, "1").await != Ok(Some("3".to_owned())) {
            assert!(Instant::now() < until, "{:?}", validator.state());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
}

fn a_slow_question_ends_alone(postgres: &Postgres) {
    let validator =
        postgres.validator("select pg_sleep(case $1 when 'slow' then 60 else 0 end), 1", Duration::from_millis(300));
    run(async {
        assert_eq!(ask(&validator, "fast").await, Ok(Some(String::new())));
        let begun = Instant::now();
        assert_eq!(ask(&validator, "slow").await, Err(AskError::Timeout));
        assert!(begun.elapsed() < Duration::from_secs(2));
        assert_eq!(ask(&validator, "fast").await, Ok(Some(String::new())));
        let running = "select count(*) from pg_stat_activity where query like '%pg_sleep%' and state = 'active' and pid <> pg_backend_pid()";
        assert_eq!(postgres.sql(running).trim(), "0");

        // A validator that is no more needs no connection, while its thread goes on.
        drop(validator);
        let until = Instant::now() + LONG;
        while postgres.sql("select count(*) from pg_stat_activity where application_name = 'unladen'").trim() != "0" {
            assert!(Instant::now() < until, "a connection is left");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    });
}

fn many_are_asked(postgres: &Postgres) {
    const QUESTIONS: usize = 20_000;
    postgres.sql("insert into page (id, ref) select n, 'ref' || n from generate_series(1000, 30999) as n; create index on page (ref); analyze page");
    let validator = postgres.validator("select id from page where ref = $1", LONG);
    run(async {
        ask(&validator, "ref1000").await.unwrap();
        let (begun, busy) = (Instant::now(), on_cpu());
        let mut tasks = JoinSet::new();
        for task in 0..64 {
            let validator = validator.clone();
            tasks.spawn_local(async move {
                let mut took = Vec::new();
                for number in (task..QUESTIONS).step_by(64) {
                    let asked = Instant::now();
                    assert_eq!(
                        ask(&validator, &format!("ref{}", 1000 + number)).await,
                        Ok(Some((1000 + number).to_string()))
                    );
                    took.push(asked.elapsed());
                }
                took
            });
        }
        let mut took: Vec<Duration> = tasks.join_all().await.into_iter().flatten().collect();
        let rate = QUESTIONS as f64 / begun.elapsed().as_secs_f64();
        took.sort();
        let own = (on_cpu() - busy) / u32::try_from(QUESTIONS).unwrap();
        eprintln!(
            "PostgreSQL, 64 at a time: {rate:.0} questions/s on one thread, median {:?}, {own:?} of its CPU each",
            took[took.len() / 2]
        );
        let mut took = Vec::new();
        for number in 0..2000 {
            let asked = Instant::now();
            ask(&validator, &format!("ref{}", 1000 + number)).await.unwrap();
            took.push(asked.elapsed());
        }
        took.sort();
        eprintln!("PostgreSQL, one at a time: median {:?}", took[took.len() / 2]);
    });
    let state = validator.state();
    assert_eq!((state.asked, state.answered, state.shared, state.failed), (22_001, 22_001, 0, 0));
    let connections = postgres.sql("select count(*) from pg_stat_activity where application_name = 'unladen'");
    assert!(connections.trim().parse::<u32>().unwrap() <= 2, "{connections}");
}

/// How long this thread has run so far.
fn on_cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(stat.split_whitespace().next().unwrap().parse().unwrap())
}

#[test]
fn outages_end() {
    let mut postgres = Postgres::start();
    let validator = postgres.validator("select ref from page where id = $1", Duration::from_millis(300));
    let picnic = Ok(Some("picnic".to_owned()));
    run(async {
        assert_eq!(ask(&validator, "12").await, picnic);

        // Between two questions, nobody notices a restart.
        postgres.server.end();
        postgres.server.begin();
        assert_eq!(ask(&validator, "12").await, picnic);

        postgres.server.end();
        for _ in 0..10 {
            let begun = Instant::now();
            let error = ask(&validator, "12").await.unwrap_err();
            assert_eq!(error.into_str(), "unreachable", "{error}");
            assert!(begun.elapsed() < Duration::from_millis(200), "it is known that the server is down");
        }
        postgres.server.begin();
        comes_back(&validator).await;

        // A server that accepts and says nothing more.
        let stopped = postgres.server.processes();
        signal("STOP", &stopped);
        for number in 0..3 {
            let begun = Instant::now();
            assert_eq!(ask(&validator, "12").await, Err(AskError::Timeout), "{number}");
            assert!(begun.elapsed() < Duration::from_secs(1));
        }
        signal("CONT", &stopped);
        comes_back(&validator).await;
    });
    let state = validator.state();
    assert!(state.timeouts >= 3 && state.failed >= 13, "{state:?}");
}

async fn comes_back(validator: &std::sync::Arc<Validator>) {
    let until = Instant::now() + LONG;
    while let Err(error) = ask(validator, "12").await {
        assert!(Instant::now() < until, "{error}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
