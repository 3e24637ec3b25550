//! Result documents, read back. The principal type is [`Document`]: `--json` output of a measuring command, or of a
//! check of a class map, from this version or an earlier one.
//!
//! The types mirror `schemas/` field for field, which describe each field for users; comments here add what
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
mod bill;
mod classmap_check;
mod comparison;
mod document;
mod figure;
mod finding;
mod load;
mod machine;
mod profile;
mod prove;
mod schema;
mod weigh;

pub use about::{About, Environment, Revision, Software};
pub use answer::Answer;
pub use bill::{
    BillDocument, BilledClient, BilledGroup, BilledKind, BilledLog, Frees, NotWeighed, Together, share_text,
};
pub use classmap_check::{
    ClassDifferences, ClassPlace, ClassmapCheckDocument, ClassmapProblem, DuplicateClass, MisplacedClass,
};
pub use comparison::metric_title;
pub use document::{Document, DocumentError, Ended, MOST_BYTES};
pub use figure::{Interval, Latencies, LatencyIntervals, OpenSpan, Ordered, nanos, statuses_text};
pub use finding::{
    Evidence, EvidenceFigure, EvidenceItem, Finding, Fix, FixPart, NotJudged, NotLookedFor, Removes, Saves, Share,
};
pub use load::{
    ByConnection, ByRequest, Capacity, LinesPassedOver, LoadDocument, LogLines, Pacing, Slice, Step, Trial,
};
pub use machine::{Drift, LoadAgent, Lost, Machine, Reference, send_lag};
pub use profile::{
    Caller, Function, FunctionChange, Moved, OpenNs, ProfileDiffDocument, ProfileDocument, ProfileSetup, Written,
};
pub use prove::{
    Arm, ArmProfile, BoxPlot, Change, Comparison, CountedChange, Gate, Interaction, Metric, ProveDocument,
};
pub use schema::Schema;
pub use unladen_quantity::Span;
pub use weigh::{
    CPU_COLUMNS, Count, CpuColumn, FarStation, HostCpu, LeftBehind, NextStep, NotFollowing, Path, Peer, Statement,
    Traced, UnknownPath, WeighDocument, WeighedHost, WeighedUrl, Weight,
};
