//! The principal type is [`Unit`].

/// The unit of a series, by its name: Prometheus' naming rules put the base unit before `_total`, `_sum` and so on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unit {
    Seconds,
    Bytes,
    Count,
}

impl Unit {
    /// By a sample's name: `node_cpu_seconds_total`, `go_gc_duration_seconds_sum`, `x_bytes_total`. The buckets and the
    /// count of a histogram of seconds count events.
    pub(crate) fn of(name: &str) -> Self {
        let stem = name.strip_suffix("_total").or_else(|| name.strip_suffix("_sum")).unwrap_or(name);
        if stem.ends_with("_seconds") {
            Self::Seconds
        } else if stem.ends_with("_bytes") {
            Self::Bytes
        } else {
            Self::Count
        }
    }
}
