//! Reads lists of strings, and tables whose keys are names of the user's own.

use unladen_toml::{Bad, Table, Value};

use super::explain::Shown;
use super::level::Level;
use super::reading::Reading;

/// One or several, each told by itself if it is wrong.
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

/// As it is written into the file: none, if there is none.
pub(super) fn show(texts: &[String]) -> Shown {
    if texts.is_empty() {
        return Shown::None;
    }
    Shown::List(texts.iter().map(|text| Shown::Text(text.clone())).collect())
}

/// A table of a level: its names and values, in the order of the alphabet.
pub(super) fn map<T: Clone + Showable>(
    level: &Level<'_>,
    name: &'static str,
    read: impl Fn(&str, &Value<'_>) -> Result<(String, T), Bad>,
    r: &mut Reading<'_>,
) -> Vec<(String, T)> {
    level.take(name, Vec::new(), r, |value, r| entries(value, name, read, r), |entries| show_map(entries))
}

/// The names and values of a table.
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

/// A value of such a table.
pub(super) trait Showable {
    /// As it is written into the file.
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
