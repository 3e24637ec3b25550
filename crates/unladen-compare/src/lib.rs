//! Whether two runs differ, and when a series of runs changed. The principal type is [`Comparison`], which serialises as
//! `unladen.compare/1`; [`Trend`] is `unladen.trend/1`.
#![forbid(unsafe_code)]

mod comparable;
mod comparison;
mod figure;
mod finding_change;
mod row;
mod side;
mod speed;
mod trend;
mod verdict;

pub use comparable::Comparable;
pub use comparison::{Comparison, Past};
pub use figure::{Figure, Span};
pub use finding_change::{FindingChange, FindingVerdict};
pub use row::{Kind, Row};
pub use side::Side;
pub use speed::{ReferenceRatio, Speed};
pub use trend::{ChangePoint, RunLabel, Series, SeriesPoint, Trend};
pub use verdict::Verdict;
