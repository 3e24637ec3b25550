//! The principal type is [`Changes`]: a pledge that is changed in PostgreSQL and by an application, and when.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use unladen_tests::site::{app, page};
use unladen_tests::{Postgres, Upstream, Wire};

const PAGE: &str = include_str!("../../../docs/concepts/caching.md");

/// The block of this language with this name.
#[track_caller]
pub(crate) fn block(language: &str, name: &str) -> &'static str {
    let head = format!("```{language} {name}\n");
    let mut parts = PAGE.split(&*head).skip(1);
    let (Some(rest), None) = (parts.next(), parts.next()) else {
        panic!("docs/concepts/caching.md has not one block {head:?}")
    };
    rest.split("```").next().expect("split gives one")
}

/// The lines of a validator as they are printed, with this database, and all the time that a busy machine takes.
#[track_caller]
pub(crate) fn validator(name: &str, database: &str) -> String {
    let lines = block("toml", name).lines().filter(|line| !line.is_empty()).map(|line| match line.split_once(" = ") {
        Some(("database", _)) => format!("database = \"{database}\"\n"),
        _ => format!("{line}\n"),
    });
    let lines: String = lines.collect();
    assert!(lines.contains(database), "{lines}");
    format!("{lines}timeout = \"3s\"\n")
}

/// A pledge and its history.
pub(crate) struct Changes {
    pub(crate) postgres: Postgres,
    /// What the application shows: it is never behind the database.
    shown: Arc<AtomicU64>,
    /// When the n-th change had been committed for certain.
    committed: Vec<Instant>,
}

impl Changes {
    /// With the table, function and triggers as they are printed.
    pub(crate) fn start() -> Self {
        let postgres = Postgres::start();
        postgres.sql("create table pledges (ref text primary key, n bigint not null)");
        postgres.sql("insert into pledges values ('Picnic', 0), ('other', 0); grant select on pledges to asker");
        postgres.sql(block("sql", "pushed"));
        Self { postgres, shown: Arc::default(), committed: vec![Instant::now()] }
    }

    /// The application: GET shows the number, and POST counts it.
    pub(crate) fn application(&self) -> Upstream {
        let shown = self.shown.clone();
        app(move |request| match &*request.method {
            "GET" => {
                assert!(!request.fields.iter().any(|(_, value)| value.contains("__unladen_fresh")), "{request:?}");
                page("", &shown.load(Ordering::SeqCst).to_string())
            }
            _ => page("", "done"),
        })
    }

    /// The next number, in one transaction with its notification.
    pub(crate) fn change(&mut self) -> u64 {
        let next = self.committed.len() as u64;
        // Before: a page of the application is never older than the label that it is stored under.
        self.shown.store(next, Ordering::SeqCst);
        self.postgres.sql(&format!("update pledges set n = {next} where ref = 'Picnic'"));
        self.committed.push(Instant::now());
        next
    }

    /// The number that a page may not be older than which is asked for now.
    pub(crate) fn due(&self, bound: Duration) -> u64 {
        let now = Instant::now();
        let due = self.committed.iter().rposition(|at| now.saturating_duration_since(*at) > bound);
        due.unwrap_or(0) as u64
    }
}

/// The number that a page shows.
#[track_caller]
pub(crate) fn number(answer: &unladen_tests::Answer) -> u64 {
    answer.text().parse().unwrap_or_else(|_| panic!("no number: {answer:?}"))
}

/// A metric of the validator, or of several with these words.
#[track_caller]
pub(crate) fn metric(admin: &std::path::Path, name: &str) -> u64 {
    let text = Wire::unix(admin).get("/metrics").is(200).text();
    let line = text.lines().find(|line| line.starts_with(&format!("{name}{{")) && line.contains("validator="));
    let line = line.unwrap_or_else(|| panic!("no {name} in {text}"));
    line.rsplit(' ').next().and_then(|number| number.parse::<f64>().ok()).expect("a number") as u64
}
