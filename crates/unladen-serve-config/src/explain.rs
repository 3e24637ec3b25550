//! The principal type is [`Explained`]: a value of the configuration, and where it comes from.

use std::path::PathBuf;
use std::time::Duration;

use unladen_toml::bytes_text;

use super::keys::{self, Key, Whose};

/// A value of the configuration, and where it comes from.
#[derive(Clone, Debug)]
pub struct Explained {
    pub whose: Whose,
    pub key: &'static Key,
    /// Which of several tables, such as `[[outbound.rate]]`, counted from 0.
    pub index: Option<usize>,
    pub value: Shown,
    pub origin: Origin,
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The table itself, in this line, counted from 1.
    Said(usize),
    Defaults(usize),
    Preset(&'static str),
    /// Nobody; [`Key::why`] gives the reason.
    BuiltIn,
}

/// A value in a form that can be shown.
#[derive(Clone, Debug, PartialEq)]
pub enum Shown {
    None,
    Duration(Duration),
    Bytes(u64),
    /// From 0 to 1.
    Share(f64),
    Number(f64),
    Count(u64),
    Flag(bool),
    Text(String),
    Weighted(String, u32),
    Table(Vec<(&'static str, Shown)>),
    Map(Vec<(String, Shown)>),
    List(Vec<Shown>),
}

/// What has one form in which it is shown.
pub(super) trait Showable {
    fn shown(&self) -> Shown;
}

impl Showable for String {
    fn shown(&self) -> Shown {
        Shown::Text(self.clone())
    }
}

impl Showable for PathBuf {
    fn shown(&self) -> Shown {
        Shown::Text(self.display().to_string())
    }
}

impl Showable for Duration {
    fn shown(&self) -> Shown {
        Shown::Duration(*self)
    }
}

impl<T: Showable> Showable for Option<T> {
    fn shown(&self) -> Shown {
        self.as_ref().map_or(Shown::None, T::shown)
    }
}

impl Explained {
    /// The key as written below its `[[outbound]]` or `[[site]]`, or at the top level: `pool.idle`.
    pub fn name(&self) -> String {
        let Key { table, name, .. } = self.key;
        match (keys::below(table), self.index) {
            ("", _) => (*name).to_owned(),
            (table, Some(index)) => format!("{table}[{index}].{name}"),
            (table, None) => format!("{table}.{name}"),
        }
    }

    pub(super) fn reason(&self) -> String {
        match self.origin {
            Origin::Said(line) => format!("line {line}"),
            Origin::Defaults(line) => format!("[defaults], line {line}"),
            Origin::Preset(name) => format!("preset {name}"),
            Origin::BuiltIn => format!("default: {}", self.key.why),
        }
    }
}

impl Key {
    /// Whether it is a table, which its own keys describe.
    pub(super) fn is_table(&self) -> bool {
        let is_opened = keys::all().any(|key| key.table == self.name);
        is_opened && matches!(self.table, "" | "outbound" | "site" | "cache") && !keys::INLINE.contains(&self.name)
    }
}

// === impl Shown ===

impl Shown {
    /// Texts of a list, also of an empty one.
    pub(super) fn list<T: ToString>(items: impl IntoIterator<Item = T>) -> Self {
        Self::List(items.into_iter().map(|one| Self::Text(one.to_string())).collect())
    }

    /// Likewise, but an empty list is none.
    pub(super) fn list_or_none<T: ToString>(items: impl IntoIterator<Item = T>) -> Self {
        match Self::list(items) {
            Self::List(list) if list.is_empty() => Self::None,
            list => list,
        }
    }

    /// The value as JSON: durations in ns, sizes in bytes.
    pub fn json(&self) -> serde_json::Value {
        match self {
            Self::None => serde_json::Value::Null,
            Self::Duration(duration) => u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX).into(),
            Self::Bytes(number) | Self::Count(number) => (*number).into(),
            Self::Share(number) | Self::Number(number) => (*number).into(),
            Self::Flag(flag) => (*flag).into(),
            Self::Text(text) => text.as_str().into(),
            Self::Weighted(url, weight) => serde_json::json!({ "url": url, "weight": weight }),
            Self::Table(entries) => entries
                .iter()
                .map(|(name, value)| ((*name).to_owned(), value.json()))
                .collect::<serde_json::Map<_, _>>()
                .into(),
            Self::Map(entries) => entries
                .iter()
                .map(|(name, value)| (name.clone(), value.json()))
                .collect::<serde_json::Map<_, _>>()
                .into(),
            Self::List(list) => list.iter().map(Self::json).collect(),
        }
    }

    /// The unit of the number in [`Self::json`], if any.
    pub fn unit(&self) -> Option<&'static str> {
        match self {
            Self::Duration(_) => Some("ns"),
            Self::Bytes(_) => Some("B"),
            _ => None,
        }
    }
}

/// As written in the file; an absent value is `none`.
impl std::fmt::Display for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Duration(duration) => write!(f, "\"{}\"", humantime::format_duration(*duration)),
            Self::Bytes(bytes) => write!(f, "\"{}\"", bytes_text(*bytes)),
            Self::Share(number) | Self::Number(number) => number.fmt(f),
            Self::Count(number) => number.fmt(f),
            Self::Flag(flag) => flag.fmt(f),
            Self::Text(text) => quoted(text, f),
            Self::Weighted(url, weight) => {
                f.write_str("{ url = ")?;
                quoted(url, f)?;
                write!(f, ", weight = {weight} }}")
            }
            Self::Table(entries) => {
                f.write_str("{ ")?;
                for (at, (name, one)) in entries.iter().enumerate() {
                    write!(f, "{}{name} = {one}", if at > 0 { ", " } else { "" })?;
                }
                f.write_str(" }")
            }
            Self::Map(entries) => {
                f.write_str("{ ")?;
                for (at, (name, one)) in entries.iter().enumerate() {
                    f.write_str(if at > 0 { ", " } else { "" })?;
                    quoted(name, f)?;
                    write!(f, " = {one}")?;
                }
                f.write_str(" }")
            }
            Self::List(list) => {
                f.write_str("[")?;
                for (at, one) in list.iter().enumerate() {
                    write!(f, "{}{one}", if at > 0 { ", " } else { "" })?;
                }
                f.write_str("]")
            }
        }
    }
}

fn quoted(text: &str, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
    f.write_str("\"")?;
    for letter in text.chars() {
        match letter {
            '"' | '\\' => write!(f, "\\{letter}")?,
            letter if letter.is_control() => write!(f, "\\u{:04X}", u32::from(letter))?,
            letter => write!(f, "{letter}")?,
        }
    }
    f.write_str("\"")
}
