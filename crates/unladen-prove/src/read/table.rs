//! The principal type is [`Table`]: a table of the file, of which all keys are known; its values know their place.
//!
//! Not by serde's derive: a value that may be a text, a table or a list loses its place there, and what it says of it.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::read::problem::{Bad, Problem, meant};
use crate::read::value::Value;

/// A table of which all keys are known.
#[derive(Clone, Debug)]
pub(crate) struct Table<'t> {
    entries: &'t DeTable<'t>,
    span: Range<usize>,
    /// How to call it: `[load]`.
    place: String,
}

/// Keys that are often put into the wrong table, and where they belong.
pub(crate) struct Home {
    pub(crate) keys: &'static [&'static str],
    pub(crate) place: &'static str,
}

// === impl Table ===

impl<'t> Table<'t> {
    /// The whole file.
    pub(crate) fn root(
        root: &'t Spanned<DeTable<'t>>,
        keys: &'static [&'static str],
        homes: &[Home],
    ) -> Result<Self, Bad> {
        let table = Self { entries: root.get_ref(), span: 0..0, place: "the file".into() };
        table.check(keys, homes).map(|()| table)
    }

    /// The table that is this value.
    pub(crate) fn open(
        value: &Value<'t>,
        place: impl Into<String>,
        keys: &[&str],
        homes: &[Home],
    ) -> Result<Self, Bad> {
        let table = Self::of(value, place)?;
        table.check(keys, homes).map(|()| table)
    }

    /// The table that is this value, with any keys.
    pub(crate) fn of(value: &Value<'t>, place: impl Into<String>) -> Result<Self, Bad> {
        match value.spanned.get_ref() {
            DeValue::Table(entries) => Ok(Self { entries, span: value.span(), place: place.into() }),
            _ => Err(value.wrong_type("a table")),
        }
    }

    /// Refuses the first key of the text that is none of these.
    pub(crate) fn check(&self, keys: &[&str], homes: &[Home]) -> Result<(), Bad> {
        let unknown = self.entries.keys().filter(|key| !keys.contains(&key.get_ref().as_ref()));
        match unknown.min_by_key(|key| key.span().start) {
            None => Ok(()),
            Some(key) => {
                let word = key.get_ref().as_ref();
                let home = homes.iter().find(|home| home.keys.contains(&word));
                let meant = match home {
                    Some(home) => format!("it belongs in {}", home.place),
                    None => meant(word, keys),
                };
                Err(Problem::UnknownKey { key: word.into(), place: self.place.clone(), meant }.at(key.span()))
            }
        }
    }

    /// A value, if it is given.
    pub(crate) fn get(&self, key: &'static str) -> Option<Value<'t>> {
        self.entries.get(key).map(|spanned| Value { key, spanned })
    }

    /// A value, or an error that tells what it would be.
    pub(crate) fn require(&self, key: &'static str, expected: &'static str) -> Result<Value<'t>, Bad> {
        self.get(key).ok_or_else(|| self.missing(key, expected))
    }

    pub(crate) fn missing(&self, key: &'static str, expected: &'static str) -> Bad {
        Problem::Missing { place: self.place.clone(), key, expected }.at(self.span.clone())
    }

    /// One of two values; an error if both are given.
    pub(crate) fn either(
        &self,
        first: &'static str,
        second: &'static str,
        why: &'static str,
    ) -> Result<(Option<Value<'t>>, Option<Value<'t>>), Bad> {
        match (self.get(first), self.get(second)) {
            (Some(_), Some(value)) => {
                Err(Problem::Both { place: self.place.clone(), first, second, why }.at(self.key_span(second, &value)))
            }
            both => Ok(both),
        }
    }

    /// Where a key stands.
    pub(crate) fn key_span(&self, key: &'static str, value: &Value<'t>) -> Range<usize> {
        self.entries.get_key_value(key).map_or(value.span(), |(key, _)| key.span())
    }

    /// All keys and values, in the order of the alphabet.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&'t str, Range<usize>, Value<'t>)> {
        self.entries.iter().map(|(key, spanned)| (key.get_ref().as_ref(), key.span(), Value { key: "env", spanned }))
    }

    pub(crate) fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    pub(crate) fn place(&self) -> String {
        self.place.clone()
    }
}
