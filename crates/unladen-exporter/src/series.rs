//! The principal type is [`Series`]: one counter of an exporter, for people.

use std::borrow::Cow;
use std::fmt::Write;

use crate::limits;

/// One counter of an exporter.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// `node_cpu_seconds_total{cpu="0",mode="user"}`: labels by name, control characters escaped, at most
    /// [`limits::SHOWN`] characters.
    pub name: String,
    /// The sample's name, such as `node_cpu_seconds_total`, shared by the series of a family.
    pub family: String,
    pub unit: Unit,
    /// Not declared as a counter; so far it has only grown.
    pub is_presumed: bool,
    /// It went down without being a counter, or grew by more than anything can: it counts no more.
    pub is_refuted: bool,
}

/// `name{label="value"}`, the identity of a series.
pub(crate) fn key(name: &str, labels: &[(&str, Cow<'_, str>)]) -> String {
    let mut labels: Vec<_> = labels.iter().collect();
    labels.sort_unstable();
    let mut key = name.to_owned();
    for (index, (label, value)) in labels.into_iter().enumerate() {
        let separator = if index == 0 { '{' } else { ',' };
        // Writing to a String does not fail. Quotes, backslashes and control characters are escaped.
        let _ = write!(key, "{separator}{label}={value:?}");
    }
    if key.len() > name.len() {
        key.push('}');
    }
    key
}

pub(crate) fn shown(name: &str, labels: &[(&str, Cow<'_, str>)]) -> String {
    shorten(&key(name, labels))
}

/// At most [`limits::SHOWN`] characters.
pub(crate) fn shorten(key: &str) -> String {
    match key.char_indices().nth(limits::SHOWN) {
        Some((end, _)) => format!("{}…", &key[..end]),
        None => key.to_owned(),
    }
}

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
