//! The principal type is [`Series`]: one counter of an exporter, for people.

use std::borrow::Cow;
use std::fmt::Write;

use crate::limits;
use crate::unit::Unit;

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
