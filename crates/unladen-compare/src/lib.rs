//! Whether two runs differ, and when a series of runs changed. The principal type is [`Comparison`], which serialises
//! as `unladen.compare/1`; [`Trend`] is `unladen.trend/1`.
//!
//! Two runs of the same thing differ by more than their own intervals show: layout of memory, other work of the
//! machine, its clock. How much more is estimated from a [`History`] of runs, and times on a processor are corrected
//! for the machine's own speed by its reference work. docs/concepts/between-runs.md argues it, with the sources.
//!
//! ```
//! use unladen_compare::{Comparable, History, compare, trend};
//! use unladen_document::Document;
//!
//! let load = Document::read(br#"{"schema": "unladen.load/1", "target": "http://localhost/", "concurrency": 8}"#)?;
//! let other = Document::read(br#"{"schema": "unladen.load/1", "target": "http://localhost/", "concurrency": 16}"#)?;
//! let comparison = compare(&load, &other, &History::new());
//! assert_eq!(comparison.comparable, Comparable::No(vec!["concurrency differs: 8 before, 16 after".into()]));
//! assert_eq!(trend(&[load].iter().collect()).runs.len(), 1);
//! # Ok::<(), unladen_document::DocumentError>(())
//! ```
#![forbid(unsafe_code)]

mod between;
mod change_points;
mod compare;
mod comparison;
mod draft;
mod effect;
mod extract;
mod finding_changes;
mod key;
mod measured;
mod row;
mod run;
mod series;
mod setting;
mod speed;
mod trend;
mod warnings;

pub use compare::compare;
pub use comparison::{Comparable, Comparison, Past, Side};
pub use finding_changes::{FindingChange, FindingVerdict};
pub use row::{Figure, Kind, Row, Unjudged, Verdict, WhyUnjudged};
pub use run::{History, RunLabel};
pub use speed::{ReferenceRatio, Speed};
pub use trend::{ChangePoint, Series, SeriesPoint, Trend, trend};

#[cfg(test)]
mod tests;
