//! The principal type is [`Format`].

/// Which of the two formats an answer is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Prometheus' text format, version 0.0.4.
    Text,
    /// OpenMetrics 1.0: times in seconds, exemplars, an end that is marked.
    OpenMetrics,
}

impl Format {
    /// What to ask for (`Accept`). OpenMetrics comes first: it says when a counter began.
    pub const ACCEPT: &'static str =
        "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1";

    /// By the answer's `Content-Type`; whatever is not OpenMetrics is read as text, as Prometheus does.
    pub fn of(content_type: Option<&str>) -> Self {
        let essence = content_type.unwrap_or_default().split(';').next().unwrap_or_default().trim();
        if essence.eq_ignore_ascii_case("application/openmetrics-text") { Self::OpenMetrics } else { Self::Text }
    }
}
