//! The principal type is [`Exposition`]: all samples of one answer.

use std::borrow::Cow;

use crate::error::ParseError;

/// All samples of one answer, in order. It borrows the answer's bytes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Exposition<'a> {
    /// Each has a line or a sample.
    pub families: Vec<MetricFamily<'a>>,
    pub samples: Vec<Sample<'a>>,
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
    /// In OpenMetrics without `_total`.
    pub name: &'a str,
    pub kind: Kind,
    pub help: Option<Cow<'a, str>>,
    /// OpenMetrics only.
    pub unit: Option<&'a str>,
}

/// One sample.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample<'a> {
    pub family: usize,
    /// With `_total`, `_bucket` and so on.
    pub name: &'a str,
    pub labels: Vec<(&'a str, Cow<'a, str>)>,
    pub value: f64,
    /// Time of the value, in milliseconds since 1970, if the exporter says.
    pub timestamp_ms: Option<i64>,
    /// OpenMetrics only.
    pub exemplar: Option<Exemplar<'a>>,
}

/// An example of what was counted.
#[derive(Debug, Clone, PartialEq)]
pub struct Exemplar<'a> {
    /// For example the id of a trace.
    pub labels: Vec<(&'a str, Cow<'a, str>)>,
    pub value: f64,
    /// In milliseconds since 1970.
    pub timestamp_ms: Option<i64>,
}

/// The format of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Prometheus' text format, version 0.0.4.
    Text,
    /// OpenMetrics 1.0: times in seconds, exemplars, a marked end.
    OpenMetrics,
}

impl Format {
    /// The `Accept` header. OpenMetrics comes first: it says when a counter began.
    pub const ACCEPT: &'static str =
        "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1";

    /// By the answer's `Content-Type`; anything but OpenMetrics is read as text, as Prometheus does.
    pub fn of(content_type: Option<&str>) -> Self {
        let essence = content_type.unwrap_or_default().split(';').next().unwrap_or_default().trim();
        if essence.eq_ignore_ascii_case("application/openmetrics-text") { Self::OpenMetrics } else { Self::Text }
    }
}

/// The type of a metric family, as its `# TYPE` line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase", const_into_str)]
pub enum Kind {
    Counter,
    Gauge,
    Histogram,
    Summary,
    /// `untyped`, `unknown`, or without a line.
    Unknown,
    /// Labels alone (OpenMetrics).
    Info,
    /// States of which some hold (OpenMetrics).
    StateSet,
    /// A histogram of current values (OpenMetrics).
    GaugeHistogram,
}

impl Kind {
    /// Parses the line's word; `None` if neither format has it.
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "counter" => Self::Counter,
            "gauge" => Self::Gauge,
            "histogram" => Self::Histogram,
            "summary" => Self::Summary,
            "untyped" | "unknown" => Self::Unknown,
            "info" => Self::Info,
            "stateset" => Self::StateSet,
            "gaugehistogram" => Self::GaugeHistogram,
            _ => return None,
        })
    }

    pub(crate) fn suffixes(self) -> &'static [&'static str] {
        match self {
            Self::Counter => &["_total", "_created"],
            Self::Histogram => &["_bucket", "_count", "_sum", "_created"],
            Self::Summary => &["_count", "_sum", "_created"],
            Self::GaugeHistogram => &["_bucket", "_gcount", "_gsum"],
            Self::Info => &["_info"],
            Self::Gauge | Self::Unknown | Self::StateSet => &[],
        }
    }
}
