//! Results as people and programs read them. The principal types are [`Report`], the result of a command, made of the
//! documents of `unladen-document`, and [`Format`], with a folder for each format in the list [`FORMATS`].
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

mod finding;
mod format;
mod formats;
mod inside;
mod json;
mod latency;
mod profile;
mod proof;
mod style;
mod svg;
mod text;
mod unfit;
mod warning;
mod weigh;

pub use finding::{written_finding, written_unjudged};
pub use format::{Format, Report, write_kept};
pub use formats::{FORMATS, format_named};
pub use inside::{FRESH, Fresh, Inside, WARM};
pub use profile::{ProfileDiff, Profiled};
pub use proof::{Changed, Proof};
pub use style::{FixCommand, Style, ascii};
pub use text::{filled, program_of};
pub use unfit::{LateBecause, SpoiledBlocks, SpoiledFate, Taken, Unfit};
pub use unladen_document::{
    ArmProfile, Drift, Ended, FarStation, LeftBehind, Lost, Machine, Reference as ReferenceFigure, Slice, nanos,
};
pub use unladen_quantity::{Kind, Quantity, Span, bucket_name};
pub use warning::Warning;
pub use weigh::{PhaseTrace, Weigh, WeighedPage, path_of};

#[cfg(test)]
mod tests;
