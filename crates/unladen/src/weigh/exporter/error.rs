//! The principal type is [`ExporterError`].

use unladen_exporter::{NotFresh, ParseError};
use unladen_load::{LoadError, RequestError};

/// An exporter cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ExporterError {
    /// No `NAME=URL`. What was typed may hold a password, and is not shown.
    #[error(
        "--exporter: expected NAME=URL, such as db=http://db1:9100/metrics; a name is made of letters, digits, `.`, `_`, `-`"
    )]
    NoName,
    /// No URL that can be asked.
    #[error("exporter {name}: {source}")]
    Url {
        /// Its name.
        name: String,
        /// What is wrong with it.
        source: RequestError,
    },
    /// A name that two have.
    #[error("--exporter: two are called {name}, of exporters and hosts together: their rows could not be told apart")]
    Twice {
        /// The name.
        name: String,
    },
    /// Too many.
    #[error("--exporter: {given} exporters, at most {most} are read")]
    TooMany {
        /// How many were given.
        given: usize,
        /// The most.
        most: usize,
    },
    /// It cannot be reached.
    #[error("exporter {name}: {source}")]
    Load {
        /// Its name.
        name: String,
        /// Why.
        source: Box<LoadError>,
    },
    /// It answers otherwise.
    #[error("exporter {name}: answered {status}: {next}")]
    Status {
        /// Its name.
        name: String,
        /// The status.
        status: u16,
        /// What to do.
        next: String,
    },
    /// Its answer is compressed, which nobody asked for.
    #[error(
        "exporter {name}: answers with the coding `{coding}`, which was not asked for: ask the exporter itself, not a proxy before it"
    )]
    Coded {
        /// Its name.
        name: String,
        /// The coding, as it can be shown.
        coding: String,
    },
    /// What it answers is none of its format.
    #[error("exporter {name}: {source}")]
    Text {
        /// Its name.
        name: String,
        /// Where, and why.
        source: ParseError,
    },
    /// Its values cannot be used.
    #[error("exporter {name}: {source}")]
    NotFresh {
        /// Its name.
        name: String,
        /// Why.
        source: NotFresh,
    },
    /// The thread that asks it does not run.
    #[error("exporter {name}: no thread can be started to ask it: {source}")]
    Thread {
        /// Its name.
        name: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// No answer in time.
    #[error("exporter {name}: it did not answer in time")]
    Late {
        /// Its name.
        name: String,
    },
    /// The thread that asks it has ended.
    #[error("exporter {name}: nobody asks it any longer")]
    Ended {
        /// Its name.
        name: String,
    },
}
