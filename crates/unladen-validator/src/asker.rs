//! The principal type is [`Asker`]: one of the kinds of source.

use std::sync::Arc;
use std::time::Duration;

use crate::counts::text;
use crate::file::File;
use crate::mysql::MySql;
use crate::postgres::Postgres;
use crate::pushed::Pushed;
use crate::question::{Answer, Ask};
use crate::settings::place;
use crate::sqlite::Sqlite;
use crate::{AskError, PathPattern, Question, SettingsError, ValidatorSettings, ValidatorSource};

#[derive(Debug)]
pub(crate) enum Asker {
    Postgres(Postgres),
    MySql(MySql),
    Sqlite(Sqlite),
    File(File),
    /// Asked elsewhere.
    Head,
}

impl Asker {
    pub(crate) fn new(
        settings: &ValidatorSettings,
        pattern: &PathPattern,
        threads: usize,
        pushed: Option<&Arc<Pushed>>,
    ) -> Result<Self, SettingsError> {
        let places =
            |names: &[String]| names.iter().map(|name| place(name, pattern)).collect::<Result<Box<[usize]>, _>>();
        let (timeout, connections) = (settings.timeout, settings.connections);
        Ok(match &settings.source {
            ValidatorSource::Postgres { url, query, parameters } => {
                let (places, pushed) = (places(parameters)?, pushed.cloned());
                Self::Postgres(Postgres::new(url, query, places, timeout, connections, threads, pushed)?)
            }
            ValidatorSource::MySql { url, query, parameters } => {
                Self::MySql(MySql::new(url, query, places(parameters)?, timeout, connections, threads)?)
            }
            ValidatorSource::Sqlite { file, query, parameters } => {
                Self::Sqlite(Sqlite::new(file.clone(), query, places(parameters)?, timeout))
            }
            ValidatorSource::File { path } => Self::File(File::new(path, pattern)?),
            ValidatorSource::Head => Self::Head,
        })
    }

    /// Connects and prepares. On a `LocalRuntime`.
    pub(crate) async fn try_once(&self, limit: Duration) -> Result<(), AskError> {
        let tried = async {
            match self {
                Self::Postgres(asker) => asker.try_once().await,
                Self::MySql(asker) => asker.try_once().await,
                Self::Sqlite(asker) => asker.try_once(),
                Self::File(_) | Self::Head => Ok(()),
            }
        };
        tokio::time::timeout(limit, tried).await.unwrap_or(Err(AskError::Timeout))
    }

    /// A problem of the source, though it answers. On a `LocalRuntime`.
    pub(crate) async fn doubt(&self, limit: Duration) -> Result<Option<String>, AskError> {
        let Self::Postgres(asker) = self else { return Ok(None) };
        tokio::time::timeout(limit, asker.doubt()).await.unwrap_or(Err(AskError::Timeout))
    }
}

impl Ask for Asker {
    async fn ask(&self, thread: usize, question: &Question) -> Answer {
        match self {
            Self::Postgres(asker) => asker.ask(thread, question).await,
            Self::MySql(asker) => asker.ask(thread, question).await,
            Self::Sqlite(asker) => asker.ask(thread, question).await,
            Self::File(asker) => asker.ask(thread, question).await,
            Self::Head => Err(AskError::Query(text("the application is asked by whoever has connections to it"))),
        }
    }
}
