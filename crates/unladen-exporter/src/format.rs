//! The principal type is [`Format`].

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
