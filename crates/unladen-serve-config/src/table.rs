//! The principal type is [`Table`]: a table of the file; its values know their place.
//!
//! Not by serde's derive: a value that may be a text, a table or a list loses its place there, and so would all
//! mistakes after the first.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::keys::{self, KEYS};
use super::problem::{Bad, Problem, meant};
use super::value::Value;

/// A table of the file.
#[derive(Clone, Debug)]
pub(super) struct Table<'t> {
    entries: &'t DeTable<'t>,
    span: Range<usize>,
    /// How to call it: `[outbound.pool]`.
    pub(super) place: String,
}

// === impl Table ===

impl<'t> Table<'t> {
    /// The whole file.
    pub(super) fn root(root: &'t Spanned<DeTable<'t>>) -> Self {
        Self { entries: root.get_ref(), span: 0..0, place: "the file".into() }
    }

    /// The table that is this value.
    pub(super) fn of(value: &Value<'t>, place: impl Into<String>, expected: &str) -> Result<Self, Bad> {
        match value.spanned.get_ref() {
            DeValue::Table(entries) => Ok(Self { entries, span: value.span(), place: place.into() }),
            _ => Err(value.wrong_type(expected)),
        }
    }

    /// The keys that are none of these.
    pub(super) fn strangers(&self, known: &[&str]) -> Vec<Bad> {
        let unknown = self.entries.keys().filter(|key| !known.contains(&key.get_ref().as_ref()));
        let bad = |key: &Spanned<std::borrow::Cow<'_, str>>| {
            let word = key.get_ref().as_ref();
            let homes = self.homes(word);
            let meant = match homes.is_empty() {
                false => format!("it belongs in {}", homes.join(" or ")),
                true if keys::GROUPS.contains(&word) => {
                    format!("it belongs below an [[outbound]] or a [[site]], or below [defaults]: [defaults.{word}]")
                }
                true => meant(word, known),
            };
            Problem::UnknownKey { key: word.into(), place: self.place.clone(), meant }.at(key.span())
        };
        unknown.map(bad).collect()
    }

    /// Where a key is at home: of what stands below both, that in which this is.
    fn homes(&self, word: &str) -> Vec<String> {
        let is_site = self.place.contains("site");
        let mut homes: Vec<String> = Vec::new();
        // Those of a site whose default is another are at home where the others are.
        for known in KEYS.iter().filter(|known| known.name == word && !known.table.starts_with("site.")) {
            let mut places = keys::headed(known.table);
            let home = if is_site { places.pop() } else { places.into_iter().next() };
            homes.extend(home.filter(|home| *home != self.place && !homes.contains(home)));
        }
        homes
    }

    /// A value, if it is given.
    pub(super) fn get(&self, key: &'static str) -> Option<Value<'t>> {
        self.entries.get(key).map(|spanned| Value { key, spanned })
    }

    pub(super) fn missing(&self, key: &'static str, expected: &'static str) -> Bad {
        Problem::Missing { place: self.place.clone(), key, expected }.at(self.span.clone())
    }

    pub(super) fn span(&self) -> Range<usize> {
        self.span.clone()
    }
}
