//! Keeps runs: the result document of each measurement whole, with the columns by which runs are found again.
//!
//! The principal type is [`Store`]: what both back ends, SQLite and PostgreSQL, can do. [`open`] opens one.
//!
//! ```
//! use unladen_store::{Filter, Location, Mode, NewRun, open};
//!
//! let folder = tempfile::tempdir()?;
//! let mut store = open(&Location::Sqlite(folder.path().join("runs.sqlite")), Mode::ReadWrite)?;
//! let id = store.keep(&NewRun {
//!     verb: "weigh".into(),
//!     target: "http://127.0.0.1:8080/".into(),
//!     document: r#"{"schema": "unladen.weigh/1"}"#.into(),
//!     ..NewRun::default()
//! })?;
//! let runs = store.list(&Filter { target: Some("8080".into()), ..Filter::default() })?;
//! assert_eq!((runs.len(), runs[0].id), (1, id));
//! assert!(store.run(id)?.document.contains("unladen.weigh/1"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Everything is synchronous: the back end of PostgreSQL brings the runtime that it needs.
#![forbid(unsafe_code)]

mod back_ends;
mod database;
mod limits;
mod location;
mod postgres;
mod prepared;
mod run;
mod schema;
mod sqlite;
mod statement;
mod store;
mod store_error;

pub use back_ends::{BACK_ENDS, BackEnd, open};
pub use limits::{
    DOCUMENT_BYTES, EVIDENCE_BYTES, LABEL_KEY_BYTES, LABEL_VALUE_BYTES, LABELS, LabelError, PAGE, TARGET_BYTES,
    read_label,
};
pub use location::{Location, LocationError};
pub use run::{NewRun, Position, PositionError, Run, RunId, RunIdError, RunSummary};
pub use store::{Filter, Mode, Retention, Store};
pub use store_error::StoreError;
