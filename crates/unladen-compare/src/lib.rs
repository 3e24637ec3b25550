//! Whether two runs differ, and when a series of runs changed. The principal type is [`Comparison`], which serialises as
//! `unladen.compare/1`; [`Trend`] is `unladen.trend/1`.
#![forbid(unsafe_code)]

mod between;
mod comparable;
mod compare;
mod comparison;
mod draft;
mod effect;
mod extract;
mod figure;
mod finding_change;
mod finding_changes;
mod found;
mod history;
mod judge;
mod key;
mod measured;
mod point;
mod prior;
mod row;
mod rows;
mod run;
mod run_label;
mod series;
mod setting;
mod side;
mod speed;
mod split;
mod trend;
mod verdict;
mod warnings;

pub use comparable::Comparable;
pub use compare::compare;
pub use comparison::{Comparison, Past};
pub use figure::{Figure, Span};
pub use finding_change::{FindingChange, FindingVerdict};
pub use history::History;
pub use row::{Kind, Row};
pub use run_label::RunLabel;
pub use side::Side;
pub use speed::{ReferenceRatio, Speed};
pub use trend::{ChangePoint, Series, SeriesPoint, Trend};
pub use verdict::Verdict;
