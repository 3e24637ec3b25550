//! [`all`]: all keys of a configuration, from `keys.txt`. Reading, `--explain` and the manual page unladen.toml(5) are
//! made from this one list. And [`strangers`]: the unknown keys of a table, with where each belongs.

use std::sync::LazyLock;

use unladen_toml::{Bad, Table};

/// The tables below `[[outbound]]` and `[[site]]` that `[defaults]` may have too.
pub(crate) const GROUPS: [&str; 11] =
    ["pool", "limits", "timeouts", "retry", "breaker", "outlier", "health", "resolve", "client", "buffer", "rate"];

/// The keys of `[[outbound]]` itself that `[defaults]` may have too.
pub(crate) const SHARED: [&str; 10] =
    ["ca", "certificate", "key", "http", "balance", "forwarded", "via", "request_id", "http2", "socket_mode"];

/// Tables that are shown as one value.
pub(crate) const INLINE: [&str; 5] = ["upstream", "tls", "eab", "request", "access"];

/// A key of a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// The table of the key; empty for the top level. `pool` and the like are below `[[outbound]]`, `[[site]]` and
    /// `[defaults]`; `site.limits` and the like are those below `[[site]]` whose default differs.
    pub table: &'static str,
    pub name: &'static str,
    pub form: &'static str,
    pub about: &'static str,
    /// As it is written; `None` if it is no value. Where it depends on the machine or on other keys, `why` says so.
    pub default: Option<&'static str>,
    /// Why the default is what it is; empty if there is none and the key is required.
    pub why: &'static str,
}

static KEYS: LazyLock<Vec<Key>> = LazyLock::new(|| listed(include_str!("keys.txt")));

/// Each paragraph behind the first, which describes the list, is a table in brackets or a key.
fn listed(text: &'static str) -> Vec<Key> {
    let mut table = "";
    let mut keys = Vec::new();
    for paragraph in text.split("\n\n").skip(1).map(str::trim_end) {
        if let Some(name) = paragraph.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            table = name;
            continue;
        }
        let mut lines = paragraph.lines();
        let mut line = || lines.next().unwrap_or_default();
        let (name, form) = line().split_once(" = ").unwrap_or_default();
        let (about, last) = (line(), line());
        let (default, why) = match last.strip_prefix('`').and_then(|rest| rest.split_once("`: ")) {
            Some((default, why)) => (Some(default), why),
            None => (None, last),
        };
        keys.push(Key { table, name, form, about, default, why });
    }
    keys
}

pub(crate) fn all() -> impl Iterator<Item = &'static Key> {
    KEYS.iter()
}

/// All keys, by the headings of their tables.
pub fn reference() -> Vec<(String, Vec<&'static Key>)> {
    let mut tables: Vec<(String, Vec<&'static Key>)> = Vec::new();
    for key in all() {
        let several = if matches!(key.table, "upstream" | "tls") { ", for each entry" } else { "" };
        let others = if key.table.starts_with("site.") { ", where its defaults differ" } else { "" };
        let heading = format!("{}{several}{others}", headed(key.table).join(" and "));
        match tables.iter_mut().find(|(known, _)| *known == heading) {
            Some((_, keys)) => keys.push(key),
            None => tables.push((heading, vec![key])),
        }
    }
    tables
}

/// The key of a table; for a `[[site]]`, with its own default if it has one.
pub(super) fn find(whose: &Whose, table: &str, name: &str) -> Option<&'static Key> {
    let of_site = |key: &&Key| key.table.strip_prefix("site.") == Some(table) && key.name == name;
    let own = whose.site().and_then(|_| all().find(of_site));
    own.or_else(|| all().find(|key| key.table == table && key.name == name))
}

pub(super) fn names(table: &str) -> Vec<&'static str> {
    all().filter(|key| key.table == table).map(|key| key.name).collect()
}

/// A table's name below its `[[outbound]]` or `[[site]]`; empty for these themselves and the top level.
pub(crate) fn below(table: &'static str) -> &'static str {
    match table {
        "outbound" | "site" => "",
        "country" => "cache.country",
        table => table.strip_prefix("site.").unwrap_or(table),
    }
}

/// The headings that a table may have, one for each place where it may stand.
pub(crate) fn headed(table: &'static str) -> Vec<String> {
    match table {
        "" => vec!["the top level".into()],
        "admin" | "log" | "otlp" | "fleet" | "tier" => vec![format!("[{table}]")],
        "outbound" | "site" => vec![format!("[[{table}]]")],
        "upstream" => vec!["`upstream`".into()],
        "tls" | "eab" => vec![format!("`{table}`")],
        "request" | "access" => vec![format!("[site.route.{table}]")],
        "rate" => vec!["[[outbound.rate]]".into(), "[[site.rate]]".into()],
        "validator" | "route" => vec![format!("[[site.{table}]]")],
        "cache" | "trusted" | "clients" | "queue" | "snapshot" | "country" | "acme" | "fastcgi" | "files" => {
            vec![format!("[site.{}]", below(table))]
        }
        of_site if of_site.starts_with("site.") => vec![format!("[{of_site}]")],
        group => vec![format!("[outbound.{group}]"), format!("[site.{group}]")],
    }
}

/// Which table has a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whose {
    Whole,
    Outbound(String),
    Site(String),
}

impl Whose {
    /// The name of a `[[outbound]]`.
    pub fn outbound(&self) -> Option<&str> {
        if let Self::Outbound(name) = self { Some(name) } else { None }
    }

    /// The name of a `[[site]]`.
    pub fn site(&self) -> Option<&str> {
        if let Self::Site(name) = self { Some(name) } else { None }
    }

    /// The heading of its tables.
    pub(super) fn role(&self) -> Option<&'static str> {
        match self {
            Self::Whole => None,
            Self::Outbound(_) => Some("outbound"),
            Self::Site(_) => Some("site"),
        }
    }
}

pub(super) fn strangers(table: &Table<'_>, known: &[&str]) -> Vec<Bad> {
    table.strangers(known, |word| {
        let homes = homes(table.place(), word);
        match homes.is_empty() {
            false => Some(format!("it belongs in {}", homes.join(" or "))),
            true if GROUPS.contains(&word) => {
                Some(format!("it belongs below an [[outbound]] or a [[site]], or below [defaults]: [defaults.{word}]"))
            }
            true => None,
        }
    })
}

/// The tables that have this key; of two, the one that `place` is in.
fn homes(place: &str, word: &str) -> Vec<String> {
    let is_site = place.contains("site");
    let mut homes: Vec<String> = Vec::new();
    // A site's variants of a table are found where the table itself is.
    for known in all().filter(|known| known.name == word && !known.table.starts_with("site.")) {
        let mut places = headed(known.table);
        let home = if is_site { places.pop() } else { places.into_iter().next() };
        homes.extend(home.filter(|home| *home != place && !homes.contains(home)));
    }
    // Keys that, if another table has them too, are more often meant there.
    const SELDOM: [&str; 5] =
        ["[[site.route]]", "[site.route.access]", "[site.route.request]", "[site.fastcgi]", "`eab`"];
    if word != "route" && (GROUPS.contains(&word) || homes.iter().any(|home| !SELDOM.contains(&home.as_str()))) {
        homes.retain(|home| !SELDOM.contains(&home.as_str()));
    }
    homes
}

#[cfg(test)]
mod tests;
