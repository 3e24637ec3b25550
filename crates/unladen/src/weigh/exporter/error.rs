//! The principal type is [`ExporterError`].

use unladen_exporter::{NotFresh, ParseError};
use unladen_load::{LoadError, RequestError};

#[derive(Debug, thiserror::Error)]
pub(crate) enum ExporterError {
    /// No `NAME=URL`. What was typed may hold a password, and is not shown.
    #[error(
        "--exporter: expected NAME=URL, such as db=http://db1:9100/metrics; a name is made of letters, digits, `.`, `_`, `-`"
    )]
    NoName,
    #[error("exporter {name}: {source}")]
    Url { name: String, source: RequestError },
    #[error("--exporter: two are called {name}, of exporters and hosts together: their rows could not be told apart")]
    Twice { name: String },
    #[error("--exporter: {given} exporters, at most {most} are read")]
    TooMany { given: usize, most: usize },
    #[error("exporter {name}: {source}")]
    Load { name: String, source: Box<LoadError> },
    #[error("exporter {name}: answered {status}: {next}")]
    Status { name: String, status: u16, next: String },
    #[error(
        "exporter {name}: answers with the coding `{coding}`, which was not asked for: ask the exporter itself, not a proxy before it"
    )]
    Coded { name: String, coding: String },
    #[error("exporter {name}: {source}")]
    Text { name: String, source: ParseError },
    #[error("exporter {name}: {source}")]
    NotFresh { name: String, source: NotFresh },
    #[error("exporter {name}: no thread can be started to ask it: {source}")]
    Thread { name: String, source: std::io::Error },
    #[error("exporter {name}: it did not answer in time")]
    Late { name: String },
    #[error("exporter {name}: nobody asks it any longer")]
    Ended { name: String },
}
