//! Reads lists of strings, and tables with arbitrary names as keys.

use unladen_toml::{Bad, Table, Value};

use super::explain::Shown;
use super::level::Level;
use super::reading::Reading;

/// One text or several; each wrong one is reported by itself.
pub(super) fn texts<T>(
    value: &Value<'_>,
    read: impl Fn(&Value<'_>) -> Result<T, Bad>,
    r: &mut Reading<'_>,
) -> Result<Vec<T>, Bad> {
    let each = value.each();
    if each.is_empty() {
        return Err(value.refuse("empty", "at least one"));
    }
    let mut found = Vec::new();
    for one in each {
        let one = read(&one);
        found.extend(r.keep(one));
    }
    Ok(found)
}

pub(super) fn show(texts: &[String]) -> Shown {
    if texts.is_empty() {
        return Shown::None;
    }
    Shown::List(texts.iter().map(|text| Shown::Text(text.clone())).collect())
}

/// A table's names and values, in alphabetical order.
pub(super) fn map<T: Clone + Showable>(
    level: &Level<'_>,
    name: &'static str,
    read: impl Fn(&str, &Value<'_>) -> Result<(String, T), Bad>,
    r: &mut Reading<'_>,
) -> Vec<(String, T)> {
    level.take(name, Vec::new(), r, |value, r| entries(value, name, read, r), |entries| show_map(entries))
}

pub(super) fn entries<T>(
    value: &Value<'_>,
    name: &'static str,
    read: impl Fn(&str, &Value<'_>) -> Result<(String, T), Bad>,
    r: &mut Reading<'_>,
) -> Result<Vec<(String, T)>, Bad> {
    let table = Table::of(value, format!("`{name}`"), "a table")?;
    let mut found = Vec::new();
    for (key, _, value) in table.entries(name) {
        let one = read(key, &value);
        found.extend(r.keep(one));
    }
    Ok(found)
}

pub(super) fn show_map<T: Showable>(entries: &[(String, T)]) -> Shown {
    if entries.is_empty() {
        return Shown::None;
    }
    Shown::Map(entries.iter().map(|(name, value)| (name.clone(), value.shown())).collect())
}

pub(super) trait Showable {
    fn shown(&self) -> Shown;
}

impl Showable for String {
    fn shown(&self) -> Shown {
        Shown::Text(self.clone())
    }
}

impl Showable for std::time::Duration {
    fn shown(&self) -> Shown {
        Shown::Duration(*self)
    }
}
