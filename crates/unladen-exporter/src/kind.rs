//! The principal type is [`Kind`].

/// The type of a metric family, as its `# TYPE` line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

    /// The name in OpenMetrics.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
            Self::Summary => "summary",
            Self::Unknown => "unknown",
            Self::Info => "info",
            Self::StateSet => "stateset",
            Self::GaugeHistogram => "gaugehistogram",
        }
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
