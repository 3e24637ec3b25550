//! The principal type is [`Exposition`]: an exporter's metrics, read strictly.
//!
//! [`Growth`] keeps its counters from one answer to the next, over restarts; [`Watch`] finds out how old its values
//! are, from several answers and the times of requests meanwhile.
//!
//! Constraints of this crate: no I/O and no clock (times are given to it); all that is read is bounded by [`limits`],
//! as an exporter is untrusted.
//!
//! ```
//! use unladen_exporter::{Exposition, Format, Growth, Unit};
//!
//! let format = Format::of(Some("text/plain; version=0.0.4"));
//! let text = |asked: u32| format!("# TYPE http_requests_total counter\nhttp_requests_total{{code=\"200\"}} {asked}\n");
//! let mut growth = Growth::default();
//! growth.advance(&Exposition::parse(text(10).as_bytes(), format)?);
//! let grown = growth.advance(&Exposition::parse(text(17).as_bytes(), format)?);
//! assert_eq!(grown, [(0, 7.0)]);
//! assert_eq!(growth.series()[0].name, "http_requests_total{code=\"200\"}");
//! assert_eq!(growth.series()[0].unit, Unit::Count);
//! # Ok::<(), unladen_exporter::ParseError>(())
//! ```
#![forbid(unsafe_code)]

mod cursor;
mod error;
mod exposition;
mod freshness;
mod growth;
pub mod limits;
mod parse;
mod series;
mod write;

pub use error::{Fault, ParseError};
pub use exposition::{Exemplar, Exposition, Format, Kind, LeftOut, MetricFamily, Sample};
pub use freshness::{Freshness, Hidden, NotFresh, Watch};
pub use growth::Growth;
pub use series::{Series, Unit};
