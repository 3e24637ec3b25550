//! The principal type is [`Exposition`]: all samples of one answer.

use std::borrow::Cow;

use crate::error::ParseError;
use crate::kind::Kind;

/// All samples of one answer, as they came. It borrows the answer's bytes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Exposition<'a> {
    /// Families, each of which has a line or a sample.
    pub families: Vec<MetricFamily<'a>>,
    /// Samples, each with the index of its family.
    pub samples: Vec<Sample<'a>>,
    /// Lines that could not be read.
    pub left_out: Option<LeftOut>,
}

/// Lines of an answer that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    pub lines: usize,
    pub first: ParseError,
}

/// A metric family.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricFamily<'a> {
    /// Its name: in OpenMetrics without `_total`.
    pub name: &'a str,
    /// Its type.
    pub kind: Kind,
    /// What it is about.
    pub help: Option<Cow<'a, str>>,
    /// Its unit (OpenMetrics).
    pub unit: Option<&'a str>,
}

/// One sample.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample<'a> {
    /// Index of its family.
    pub family: usize,
    /// Its name, with `_total`, `_bucket` and so on.
    pub name: &'a str,
    /// Its labels, as they stand.
    pub labels: Vec<(&'a str, Cow<'a, str>)>,
    pub value: f64,
    /// When it was so, in milliseconds since 1970, if the exporter says.
    pub timestamp_ms: Option<i64>,
    /// An example of what was counted (OpenMetrics).
    pub exemplar: Option<Exemplar<'a>>,
}

/// An example of what was counted.
#[derive(Debug, Clone, PartialEq)]
pub struct Exemplar<'a> {
    /// What it names, such as a trace.
    pub labels: Vec<(&'a str, Cow<'a, str>)>,
    pub value: f64,
    /// When, in milliseconds since 1970.
    pub timestamp_ms: Option<i64>,
}
