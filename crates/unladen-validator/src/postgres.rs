//! The principal type is [`Postgres`]: asks a PostgreSQL server.
//!
//! Each thread has its own connections, made on demand. On each, the query is prepared once, and carries many questions
//! at a time. Parameters go as text, whatever the query's types are; the answer is the first column of the first row,
//! cast to text by PostgreSQL. Sessions are read-only, except those that a pooler lends.

mod connections;
mod listener;
mod value;

use std::sync::Arc;
use std::time::Duration;

use tokio::task::spawn_local;
use tokio::time::timeout;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;
use unladen_postgres::PostgresAddress;

use self::connections::{CONNECT, InFlightQuery, Link, ThreadConnections};
use self::listener::Listener;
use self::value::{Raw, Text, explain, fits, version};
use crate::backoff::Backoff;
use crate::counts::text;
use crate::pushed::Pushed;
use crate::question::{Answer, Ask};
use crate::{AskError, ListenSettings, Question, SettingsError, Version};

/// Whether a session is read-only, and has a statement timeout.
const LIMITS: &str =
    "select current_setting('default_transaction_read_only') = 'on', current_setting('statement_timeout') <> '0'";

pub(crate) struct Postgres {
    shared: Arc<Shared>,
    by_thread: Box<[Arc<ThreadConnections>]>,
}

struct Shared {
    address: PostgresAddress,
    query: String,
    /// Index in the path's names of each placeholder.
    places: Box<[usize]>,
    timeout: Duration,
    /// `None` if nothing is remembered.
    pushed: Option<Arc<Pushed>>,
}

struct Row {
    version: Version,
    key: Option<String>,
}

// === impl Postgres ===

impl Postgres {
    pub(crate) fn new(
        url: &str,
        query: &str,
        places: Box<[usize]>,
        timeout: Duration,
        connections: usize,
        threads: usize,
        pushed: Option<Arc<Pushed>>,
    ) -> Result<Self, SettingsError> {
        let query = query.trim().trim_end_matches(';').to_owned();
        let shared = Arc::new(Shared { address: PostgresAddress::parse(url)?, query, places, timeout, pushed });
        Ok(Self { shared, by_thread: (0..threads).map(|_| Arc::new(ThreadConnections::new(connections))).collect() })
    }

    pub(crate) async fn try_once(&self) -> Result<(), AskError> {
        self.shared.connect().await.map(drop)
    }

    /// Connects, and checks whether its sessions have the initial settings, which a pooler may leave out.
    pub(crate) async fn doubt(&self) -> Result<Option<String>, AskError> {
        let link = self.shared.connect().await?;
        // A server that speaks PostgreSQL's protocol without these settings is not suspect for that.
        let Ok(row) = link.client().query_typed_one(LIMITS, &[]).await else { return Ok(None) };
        let (is_read_only, is_limited) = (row.try_get(0).unwrap_or(true), row.try_get(1).unwrap_or(true));
        Ok(lacking(is_read_only, is_limited, self.shared.limit()))
    }

    /// Listens once, and triggers a notification.
    pub(crate) async fn try_to_listen(&self, settings: &ListenSettings) -> Result<(), AskError> {
        let Some(pushed) = &self.shared.pushed else { return Ok(()) };
        Listener::open(&self.shared.address, &settings.channel, pushed).await.map(drop)
    }

    /// Listens while this is polled, and reports its state. On a `LocalRuntime`.
    pub(crate) async fn listen(&self, settings: &ListenSettings, tell: &impl Fn(Result<(), &AskError>)) {
        let Some(pushed) = &self.shared.pushed else { return };
        let mut backoff = Backoff::default();
        let mut told = None;
        loop {
            let error = match Listener::open(&self.shared.address, &settings.channel, pushed).await {
                Ok(listener) => {
                    let is_there = || {
                        backoff.succeeded();
                        told = None;
                        tell(Ok(()));
                    };
                    listener.vouch(&settings.channel, settings.heartbeat, is_there).await
                }
                Err(error) => error,
            };
            pushed.lost();
            // One line is enough for a server that is down.
            if told.as_ref() != Some(&error) {
                tell(Err(&error));
            }
            told = Some(error.clone());
            backoff.failed(error);
            tokio::time::sleep(backoff.length()).await;
        }
    }

    async fn in_flight(&self, thread: usize) -> Result<InFlightQuery, AskError> {
        let Some(connections) = self.by_thread.get(thread % self.by_thread.len().max(1)) else {
            return Err(AskError::TooMany);
        };
        loop {
            let changed = connections.changed();
            tokio::pin!(changed);
            changed.as_mut().enable();
            let (in_flight, connect) = connections.in_flight();
            if connect {
                // A separate task: the first asker may leave.
                let making = connections.making();
                let shared = self.shared.clone();
                spawn_local(async move { making.done(shared.connect().await) });
            }
            match in_flight {
                Some(in_flight) => return in_flight,
                None => changed.await,
            }
        }
    }
}

impl Ask for Postgres {
    async fn ask(&self, thread: usize, question: &Question) -> Answer {
        let mut again = true;
        loop {
            let in_flight = self.in_flight(thread).await?;
            let before = self.shared.pushed.as_ref().map(|pushed| (pushed, pushed.before()));
            let failed = match self.shared.ask(in_flight.link(), question).await {
                Ok(Row { version, key }) => {
                    if let Some((pushed, before)) = before {
                        pushed.remember(question, &version, before, key.as_deref(), in_flight.link().server());
                    }
                    in_flight.answered();
                    return Ok(version);
                }
                Err(failed) => failed,
            };
            let error = explain(&failed, &self.shared.address.shown);
            match failed.code() {
                // The client's text is no value of the column's type: there is no such row.
                Some(code) if is_no_value(code) => {
                    in_flight.answered();
                    return Ok(None);
                }
                // The statement no longer fits its tables: it is prepared anew, but not for every question.
                Some(code) if is_outdated(code) => in_flight.outdated(&error),
                // The connection lives on.
                Some(code) if !is_ending(code) => in_flight.answered(),
                // The server had closed the connection. A question changes nothing, so it may be asked twice.
                _ => {
                    in_flight.dead();
                    if std::mem::take(&mut again) {
                        continue;
                    }
                }
            }
            return Err(error);
        }
    }
}

impl std::fmt::Debug for Postgres {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Postgres")
            .field("at", &self.shared.address.shown)
            .field("query", &self.shared.query)
            .finish_non_exhaustive()
    }
}

impl Shared {
    async fn connect(&self) -> Result<Link, AskError> {
        match timeout(self.timeout.max(CONNECT), self.connect_and_prepare()).await {
            Ok(made) => made,
            Err(_) => Err(AskError::Unreachable(text(format!("{} does not answer", self.address.shown)))),
        }
    }

    async fn connect_and_prepare(&self) -> Result<Link, AskError> {
        let said = |error: tokio_postgres::Error| explain(&error, &self.address.shown);
        let limit = self.limit();
        let is_late = self.address.wants_a_writer();
        let read_only = if is_late { "" } else { " -c default_transaction_read_only=on" };
        let settings = format!("-c statement_timeout={limit}{read_only}");
        let mut link = match session(&self.address.beginning_with(&settings)).await {
            Ok(link) => {
                if is_late {
                    link.client().batch_execute(&read_only_where(limit)).await.map_err(said)?;
                }
                link
            }
            // A pooler: settings made there would be others', too.
            Err(error) if PostgresAddress::refuses_settings(&error) => session(&self.address).await.map_err(said)?,
            Err(error) => return Err(said(error)),
        };
        // Times come as `2024-05-01 08:00:00`, which is recognisable, whatever the server's setting; the order of days
        // and months in input stays as it is, which it would not by startup settings. Poolers keep this for each
        // client.
        link.client().batch_execute("set datestyle = iso").await.map_err(said)?;
        let mut has_key = false;
        if self.pushed.is_some() {
            link.server = Some(listener::server(link.client()).await.map_err(said)?.into());
            has_key = link.client().prepare(&self.query).await.map_err(said)?.columns().len() > 1;
        }
        let statement = link.client().prepare(&wrapped(&self.query, has_key)).await.map_err(said)?;
        if statement.params().len() != self.places.len() {
            let (wants, has) = (statement.params().len(), self.places.len());
            return Err(AskError::Query(text(format!(
                "it has {wants} parameter(s), but `parameters` has {has} name(s)"
            ))));
        }
        link.ready(statement);
        Ok(link)
    }

    /// Slow queries end on the server after this time (ms), before we give up the connection for dead.
    fn limit(&self) -> u128 {
        (self.timeout.as_millis() * 4 / 5).max(1)
    }

    async fn ask(&self, link: &Link, question: &Question) -> Result<Row, tokio_postgres::Error> {
        let Some(statement) = link.statement() else { return Ok(Row::NONE) };
        let mut texts = Vec::with_capacity(self.places.len());
        for (place, kind) in self.places.iter().zip(statement.params()) {
            match question.parameters.get(*place) {
                Some(parameter) if fits(parameter, kind) => texts.push(Text(parameter)),
                _ => return Ok(Row::NONE),
            }
        }
        let parameters: Vec<&(dyn ToSql + Sync)> = texts.iter().map(|text| -> &(dyn ToSql + Sync) { text }).collect();
        let row = link.client().query_opt(statement, &parameters).await?;
        let Some(row) = row else { return Ok(Row::NONE) };
        let raw = row.try_get::<_, Option<Raw<'_>>>(0)?;
        let version = raw.map(|raw| {
            version(raw.0, row.columns().first().map_or(&tokio_postgres::types::Type::TEXT, |column| column.type_()))
        });
        let key = if row.len() > 1 { row.try_get(1)? } else { None };
        Ok(Row { version, key })
    }
}

async fn session(address: &PostgresAddress) -> Result<Link, tokio_postgres::Error> {
    let (client, carrier) = address.connect().await?;
    Ok(Link::new(client, spawn_local(carrier.run()).abort_handle()))
}

impl Row {
    const NONE: Self = Self { version: None, key: None };
}

/// Makes a session read-only if it began with this limit: one that a pooler lends did not, and is others', too.
fn read_only_where(limit: u128) -> String {
    format!(
        "select set_config('default_transaction_read_only', 'on', false) \
         from pg_settings where name = 'statement_timeout' and setting = '{limit}'"
    )
}

/// Describes sessions that are not read-only, or not limited in time (ms).
fn lacking(is_read_only: bool, is_limited: bool, limit: u128) -> Option<String> {
    let read_only = "alter role NAME set default_transaction_read_only = on";
    let limited = format!("alter role NAME set statement_timeout = '{limit}ms'");
    let (words, each, settings) = match (is_read_only, is_limited) {
        (true, true) => return None,
        (false, true) => ("not read-only", "it", read_only.to_owned()),
        (true, false) => ("without a time limit", "it", limited),
        (false, false) => ("neither read-only nor limited in time", "both", format!("{read_only}; {limited}")),
    };
    Some(format!("through a pooler, its sessions are {words}: set {each} on a separate role ({settings})"))
}

/// Wraps a query to get the first column of its first row, and perhaps the second. It renames them with names that no
/// query has: two columns of one name would be ambiguous. The newline ends a comment.
fn wrapped(query: &str, has_key: bool) -> String {
    let (wanted, names) = match has_key {
        true => (", unladen_key::text", ", unladen_key"),
        false => ("", ""),
    };
    format!(
        "select unladen_version::text{wanted} from (\n{query}\n) as unladen_question (unladen_version{names}) limit 1"
    )
}

/// Errors for a client's text that is no value.
fn is_no_value(code: &SqlState) -> bool {
    [
        SqlState::INVALID_TEXT_REPRESENTATION,
        SqlState::NUMERIC_VALUE_OUT_OF_RANGE,
        SqlState::INVALID_DATETIME_FORMAT,
        SqlState::DATETIME_FIELD_OVERFLOW,
        SqlState::UNTRANSLATABLE_CHARACTER,
        SqlState::CHARACTER_NOT_IN_REPERTOIRE,
    ]
    .contains(code)
}

/// Errors of a statement whose tables have changed. Permissions, also of class 42, are checked anew each time.
fn is_outdated(code: &SqlState) -> bool {
    *code != SqlState::INSUFFICIENT_PRIVILEGE
        && (code.code().starts_with("42") || code.code().starts_with("0A") || code.code().starts_with("26"))
}

/// Errors after which the server closes the connection.
fn is_ending(code: &SqlState) -> bool {
    code.code().starts_with("57P") || code.code().starts_with("08")
}

#[cfg(test)]
mod tests;
