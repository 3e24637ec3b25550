//! The principal type is [`Postgres`]: a PostgreSQL server with something to ask for.

use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use unladen_validator::{Validator, ValidatorSource};

use super::{Server, done, free_port, validator};

/// A server with a table `page`.
pub(crate) struct Postgres {
    pub(crate) server: Server,
    pub(crate) port: u16,
}

impl Postgres {
    pub(crate) fn start() -> Self {
        let port = free_port();
        let postgres = Self { server: Server::postgres(port), port };
        postgres.sql("create role secret login password 'right'");
        postgres.sql("create table page (id int primary key, ref text, key uuid, changed timestamptz, hits int8, size numeric, part float8)");
        postgres.sql(
            "insert into page values (12, 'picnic', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '2026-01-02 03:04:05.678901+00', 9007199254740993, 1.10, 0.1)",
        );
        postgres
    }

    pub(crate) fn sql(&self, sql: &str) -> String {
        let mut psql = Command::new("psql");
        psql.args(["-X", "-q", "-t", "-A", "-U", "postgres", "-v", "ON_ERROR_STOP=1", "-h"])
            .arg(self.server.folder.path());
        done(psql.args(["-p", &self.port.to_string(), "postgres", "-c", sql]))
    }

    fn url(&self, user: &str) -> String {
        format!("postgres://{user}@/postgres?host={}&port={}", self.server.folder.path().display(), self.port)
    }

    pub(crate) fn validator(&self, query: &str, timeout: Duration) -> Arc<Validator> {
        validator(self.source("postgres", query), timeout)
    }

    pub(crate) fn source(&self, user: &str, query: &str) -> ValidatorSource {
        let parameters = if query.contains("$1") { vec!["a".to_owned()] } else { vec![] };
        ValidatorSource::Postgres { url: self.url(user), query: query.to_owned(), parameters }
    }
}
