//! The principal type is [`Kind`].

/// The type of a metric family, as its `# TYPE` line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Only grows, until what it tells of starts again.
    Counter,
    /// Goes up and down.
    Gauge,
    /// Counts by bounds, with a count and a sum.
    Histogram,
    /// Quantiles, with a count and a sum.
    Summary,
    /// Not said: `untyped`, `unknown`, or without a line.
    Unknown,
    /// Labels alone (OpenMetrics).
    Info,
    /// States of which some hold (OpenMetrics).
    StateSet,
    /// A histogram of what is now (OpenMetrics).
    GaugeHistogram,
}

impl Kind {
    /// As it stands on the line; `None` for a word of neither format.
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

    /// As OpenMetrics writes it.
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

    /// What may follow the family's name in the names of its samples, beside nothing.
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
