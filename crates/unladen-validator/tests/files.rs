//! Questions to databases of SQLite, and to files.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up fails")]
mod servers;

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use servers::{ask, run, settings, validator};
use unladen_validator::{AskError, Question, SettingsError, Validator, ValidatorSource};

const LONG: Duration = Duration::from_secs(10);

fn source(file: &Path, query: &str) -> ValidatorSource {
    let parameters = if query.contains('?') { vec!["a".to_owned()] } else { vec![] };
    ValidatorSource::Sqlite { file: file.to_owned(), query: query.to_owned(), parameters }
}

fn database(file: &Path, reference: &str) -> Connection {
    let database = Connection::open(file).unwrap();
    database
        .execute_batch("create table page (id integer primary key, ref text, part real, body blob, number int8)")
        .unwrap();
    database.execute("insert into page values (12, ?1, 0.1, x'00ff', 9007199254740993)", [reference]).unwrap();
    database
}

#[test]
fn sqlite_answers_as_text() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("site.db");
    let written = database(&file, "picnic");
    for (query, a, answer) in [
        ("select ref from page where id = ?", "12", Some("picnic")),
        ("select id from page where ref = ?1", "picnic", Some("12")),
        ("select part, id from page where id = ?", "12", Some("0.1")),
        ("select hex(body) from page where id = ?", "12", Some("00FF")),
        ("select number from page where id = ?", "12", Some("9007199254740993")),
        ("select null from page where id = ?", "12", None),
        ("select id from page where id = ?", "13", None),
        ("select id from page where id = ?", "abc", None),
        ("select max(id) from page", "x", Some("12")),
    ] {
        let validator = validator(source(&file, query), LONG);
        assert_eq!(validator.try_once(), Ok(()), "{query}");
        assert_eq!(run(ask(&validator, a)), Ok(answer.map(str::to_owned)), "{query}");
    }
    let errors = [
        ("select 1 from pledges where id = ?", "query"),
        ("select ?1 || ?2", "query"),
        ("delete from page where id = ?", "query"),
        ("select", "query"),
    ];
    for (query, kind) in errors {
        let validator = validator(source(&file, query), LONG);
        assert_eq!(run(ask(&validator, "12")).unwrap_err().into_str(), kind, "{query}");
    }
    let missing = validator(source(&folder.path().join("missing.db"), "select 1"), LONG);
    let error = missing.try_once().unwrap_err();
    assert!(error.into_str() == "unreachable" && error.to_string().contains("missing.db"), "{error}");
    assert!(!folder.path().join("missing.db").exists());

    let validator = validator(source(&file, "select ref from page where id = ?"), LONG);
    run(async {
        for number in 0..50 {
            written.execute("update page set ref = ?1", [number]).unwrap();
            assert_eq!(ask(&validator, "12").await, Ok(Some(number.to_string())));
        }
        let begun = Instant::now();
        for number in 0..5000 {
            assert_eq!(ask(&validator, &number.to_string()).await.unwrap().is_some(), number == 12);
        }
        eprintln!("SQLite, one at a time: {:.0} questions/s", 5000.0 / begun.elapsed().as_secs_f64());
    });
}

#[test]
fn sqlite_reads_the_file_that_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("site.db");
    drop(database(&file, "old"));
    let validator = validator(source(&file, "select ref from page where id = ?"), LONG);
    run(async {
        assert_eq!(ask(&validator, "12").await, Ok(Some("old".to_owned())));
        drop(database(&folder.path().join("new.db"), "new"));
        std::fs::rename(folder.path().join("new.db"), &file).unwrap();
        assert_eq!(ask(&validator, "12").await, Ok(Some("new".to_owned())));
        std::fs::remove_file(&file).unwrap();
        assert_eq!(ask(&validator, "12").await.unwrap_err().into_str(), "unreachable");
        drop(database(&file, "again"));
        assert_eq!(ask(&validator, "12").await, Ok(Some("again".to_owned())));
    });
}

#[test]
fn a_busy_or_endless_sqlite_holds_nobody_up() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("site.db");
    let written = database(&file, "picnic");
    let short = Duration::from_millis(200);
    let picnic = validator(source(&file, "select ref from page where id = ?"), short);
    // Without an end, if it is asked for `x`.
    let query = "with recursive n(i) as (select 1 union all select i + 1 from n where ? = 'x') select max(i) from n";
    let endless = validator(source(&file, query), short);
    run(async {
        assert_eq!(ask(&picnic, "12").await, Ok(Some("picnic".to_owned())));
        written.execute_batch("begin exclusive").unwrap();
        let begun = Instant::now();
        let mut longest = Duration::ZERO;
        let others = async {
            loop {
                let slept = Instant::now();
                tokio::time::sleep(Duration::from_millis(1)).await;
                longest = longest.max(slept.elapsed());
            }
        };
        let asked = async { (ask(&picnic, "12").await, ask(&endless, "x").await) };
        // A locked database; then it takes the lock's end, as the endless question reads the same file.
        let answers = tokio::select! {
            answers = asked => answers,
            () = others => unreachable!(),
        };
        assert_eq!(answers, (Err(AskError::Timeout), Err(AskError::Timeout)));
        assert!(begun.elapsed() >= short && begun.elapsed() < LONG && longest < short, "{longest:?}");
        written.execute_batch("rollback").unwrap();
        assert_eq!(ask(&picnic, "12").await, Ok(Some("picnic".to_owned())));

        assert_eq!(ask(&endless, "x").await, Err(AskError::Timeout));
        // Its thread is free again.
        assert_eq!(ask(&endless, "y").await, Ok(Some("1".to_owned())));
    });
}

#[test]
fn files_tell_their_change() {
    let folder = tempfile::tempdir().unwrap();
    let template = format!("{}/{{a}}-{{b}}.html", folder.path().display());
    let validator = validator(ValidatorSource::File { path: template }, LONG);
    assert_eq!(validator.try_once(), Ok(()));
    let file = folder.path().join("page-b.html");
    run(async {
        assert_eq!(ask(&validator, "page").await, Ok(None));
        std::fs::write(&file, "one").unwrap();
        let first = ask(&validator, "page").await.unwrap().unwrap();
        assert_eq!(ask(&validator, "page").await, Ok(Some(first.clone())));
        // Of the same size and time, and another file.
        let time = std::fs::metadata(&file).unwrap().modified().unwrap();
        std::fs::write(folder.path().join("new"), "two").unwrap();
        std::fs::File::options().write(true).open(folder.path().join("new")).unwrap().set_modified(time).unwrap();
        std::fs::rename(folder.path().join("new"), &file).unwrap();
        let second = ask(&validator, "page").await.unwrap().unwrap();
        assert_ne!(first, second);
        // One billionth of a second later.
        std::fs::File::options().write(true).open(&file).unwrap().set_modified(time + Duration::from_nanos(1)).unwrap();
        assert_ne!(ask(&validator, "page").await.unwrap().unwrap(), second);
        std::os::unix::fs::symlink(&file, folder.path().join("link-b.html")).unwrap();
        assert_eq!(ask(&validator, "link").await, ask(&validator, "page").await);
        assert_eq!(ask(&validator, &"x".repeat(300)).await, Ok(None));
        assert_eq!(ask(&validator, "page-b.html/x").await, Ok(None));
        std::os::unix::fs::symlink("round-b.html", folder.path().join("round-b.html")).unwrap();
        assert_eq!(ask(&validator, "round").await.unwrap_err().into_str(), "query");
        assert_eq!(validator.ask(0, Question { parameters: vec![] }).await, Ok(None));
    });
}

#[test]
fn settings_are_checked() {
    let error = |source: ValidatorSource| Validator::new(settings(source, LONG), 1).unwrap_err();
    let postgres = |url: &str| ValidatorSource::Postgres {
        url: url.to_owned(),
        query: "select $1".to_owned(),
        parameters: vec!["a".to_owned()],
    };
    let mysql = |url: &str| ValidatorSource::MySql {
        url: url.to_owned(),
        query: "select ?".to_owned(),
        parameters: vec!["a".to_owned()],
    };
    for bad in [
        postgres("mysql://h/db"),
        postgres("postgres://u:hu?sh@h/db"),
        postgres("postgres:///db"),
        postgres("postgres://u:hush@h/db?sslmode=maybe"),
        postgres("postgres://u:hush@h/db?hush=1"),
        postgres("postgres://u:hush@h:hush/db"),
        mysql("postgres://h/db"),
        mysql("mysql://u:hush@h/db?a=hush"),
        mysql("mysql://u:hush@h:x/db"),
        mysql("hush"),
    ] {
        let said = error(bad.clone());
        assert!(matches!(said, SettingsError::Url(_)), "{bad:?}: {said}");
        assert!(!said.to_string().contains("hush") || said.to_string().contains("unknown option"), "{said}");
    }
    let tls = error(postgres("postgres://u@h/db?sslrootcert=/nonexistent.pem"));
    assert!(matches!(&tls, SettingsError::Tls(why) if why.contains("/nonexistent.pem")), "{tls}");
    let tls = error(mysql("mysql://u@h/db?ssl_ca=/nonexistent.pem"));
    assert!(matches!(&tls, SettingsError::Tls(why) if why.contains("/nonexistent.pem")), "{tls}");
    let name = error(ValidatorSource::Sqlite {
        file: "x".into(),
        query: "select ?".to_owned(),
        parameters: vec!["ref".to_owned()],
    });
    assert_eq!(name.to_string(), "`ref` is not one of the path's names (a, b): correct it, or add `{ref}` to the path");
    let path = Validator::new(
        unladen_validator::ValidatorSettings { path: "/{a".to_owned(), ..settings(ValidatorSource::Head, LONG) },
        1,
    );
    assert_eq!(path.unwrap_err().to_string(), "path: a brace in `{a` is unmatched: write `{name}`");
    for (timeout, connections) in [(Duration::ZERO, 1), (LONG, 0)] {
        let settings = unladen_validator::ValidatorSettings { connections, ..settings(ValidatorSource::Head, timeout) };
        assert!(matches!(Validator::new(settings, 1), Err(SettingsError::Number(_))));
    }
}
