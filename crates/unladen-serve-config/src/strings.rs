//! Reads lists of strings, and tables with arbitrary names as keys.

use unladen_toml::{Bad, Table, Value};

use super::explain::{Showable, Shown};
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
    Ok(r.keep_each(each.iter().map(read)))
}

/// One line of text that is as it has to be.
pub(super) fn checked(value: &Value<'_>, expected: &str, is_so: impl Fn(&str) -> bool) -> Result<String, Bad> {
    let text = value.one_line()?;
    if is_so(text) { Ok(text.to_owned()) } else { Err(value.refuse(format!("`{text}`"), expected)) }
}

/// A key of one text or several.
pub(super) fn several(
    level: &Level<'_>,
    name: &'static str,
    usual: Vec<String>,
    read: impl Fn(&Value<'_>) -> Result<String, Bad>,
    r: &mut Reading<'_>,
) -> Vec<String> {
    level.take(name, usual, r, |value, r| texts(value, read, r), |list| Shown::list_or_none(list))
}

/// A list, which may be empty; each wrong text is reported by itself.
pub(super) fn list<T>(
    value: &Value<'_>,
    form: &str,
    read: impl Fn(&Value<'_>) -> Result<T, Bad>,
    r: &mut Reading<'_>,
) -> Result<Vec<T>, Bad> {
    Ok(r.keep_each(value.list(form)?.iter().map(read)))
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
    Ok(r.keep_each(table.entries(name).map(|(key, _, value)| read(key, &value))))
}

pub(super) fn show_map<T: Showable>(entries: &[(String, T)]) -> Shown {
    if entries.is_empty() {
        return Shown::None;
    }
    Shown::Map(entries.iter().map(|(name, value)| (name.clone(), value.shown())).collect())
}
