//! Result documents, read back. The principal type is [`Document`]: `--json` output of a measuring command, or of a
//! check of a class map, from this version or an earlier one.
//!
//! The types mirror docs/reference/json.md field for field; `schemas/` describes each field, and comments here add what
//! that lacks. The types are owned and tolerant: missing fields have their defaults, unknown fields are ignored.
//! Serialised again, a document keeps its fields. [`Schema`] describes all documents to other programs.
//!
//! ```
//! use unladen_document::Document;
//!
//! let document = Document::read(br#"{"schema": "unladen.load/1", "target": "http://localhost/", "requests": 40}"#)?;
//! assert_eq!((document.verb(), document.target()), ("load", "http://localhost/"));
//! let Document::Load(load) = &document else { unreachable!() };
//! assert!(load.requests == 40 && load.warnings.is_empty() && document.about().host.is_none());
//! # Ok::<(), unladen_document::DocumentError>(())
//! ```
#![forbid(unsafe_code)]

mod about;
mod answer;
mod capacity;
mod classmap_check;
mod document;
mod error;
mod figure;
mod finding;
mod load;
mod load_agent;
mod machine;
mod ordered;
mod profile;
mod profile_diff;
mod prove;
mod schema;
mod verdict;
mod weigh;

pub use about::{About, Environment, Revision, Software};
pub use answer::Answer;
pub use capacity::{Capacity, Trial};
pub use classmap_check::{
    ClassDifferences, ClassPlace, ClassmapCheckDocument, ClassmapProblem, DuplicateClass, MisplacedClass,
};
pub use document::{Document, MOST_BYTES};
pub use error::DocumentError;
pub use figure::{Interval, Latencies, LatencyIntervals, OpenSpan, Span, nanos};
pub use finding::{
    Evidence, EvidenceFigure, EvidenceItem, Finding, Fix, FixPart, NotJudged, NotLookedFor, Removes, Saves, Share,
};
pub use load::{ByConnection, ByRequest, LinesPassedOver, LoadDocument, LogLines, Pacing, Slice, Step};
pub use load_agent::{Drift, LoadAgent, Lost, send_lag};
pub use machine::{Machine, Reference};
pub use ordered::Ordered;
pub use profile::{Caller, Function, OpenNs, ProfileDocument, ProfileSetup, Written};
pub use profile_diff::{FunctionChange, Moved, ProfileDiffDocument};
pub use prove::{Arm, ArmProfile, BoxPlot, Comparison, Gate, Interaction, ProveDocument};
pub use schema::Schema;
pub use verdict::{Change, Metric};
pub use weigh::{
    Count, FarStation, HostCpu, LeftBehind, NextStep, NotFollowing, Path, Peer, Statement, Traced, UnknownPath,
    WeighDocument, WeighedHost, WeighedUrl, Weight,
};
