//! Results as people and programs read them. The principal types are [`Weigh`], [`Load`] and [`Prove`], the results of
//! the commands with these names, and [`Format`], with a folder for each format in the list [`FORMATS`].
//!
//! This crate computes nothing: every figure arrives with its interval and its noise floor, and every format shows
//! them.
//!
//! ```
//! use unladen_report::{FORMATS, Style};
//!
//! let names: Vec<_> = FORMATS.iter().map(|format| format.name()).collect();
//! assert_eq!(names, ["text", "json", "svg"]);
//! let plain = Style::plain(100);
//! # let _ = plain;
//! ```
#![forbid(unsafe_code)]

mod again;
mod ascii;
mod ended;
mod format;
mod formats;
mod inside;
mod json;
mod latency;
mod load;
mod profile;
mod program;
mod prove;
mod send_lag;
mod statuses;
mod style;
mod svg;
mod taken;
mod text;
mod warning;
mod weigh;

pub use again::{Again, Titles, known_name};
pub use ascii::ascii;
pub use ended::Ended;
pub use format::Format;
pub use formats::{FORMATS, format_named};
pub use inside::{Fresh, Inside, NotLooked, StatementRow, TotalRow};
pub use json::nanos;
pub use latency::{Latency, LatencyQuantile};
pub use load::{ByConnection, ByRequest, ErrorCount, Load, LoadSetup, Pacing, StepResult, Unfit};
pub use profile::{ProfileDiff, ProfileSetup, Profiled};
pub use program::program_of;
pub use prove::{ArmResult, Change, Comparison, Interaction, InteractionKind, Metric, Prove, ProveSetup, WeightMetric};
pub use send_lag::SendLag;
pub use style::Style;
pub use taken::{LateBecause, SpoiledBlocks, SpoiledFate, Taken};
pub use unladen_document::{
    ArmProfile, BoxPlot, Capacity, Drift, FarStation, Gate, LeftBehind, LoadAgent, Lost, Machine,
    Reference as ReferenceFigure, Slice, Trial, WeighedHost,
};
pub use unladen_quantity::{Kind, Quantity, Span, bucket_name};
pub use warning::Warning;
pub use weigh::{Client, HostCpu, Path, PhaseTrace, Rest, Setup, UrlCapacity, Weigh, WeighedUrl, WeightRow};

#[cfg(test)]
mod tests;
