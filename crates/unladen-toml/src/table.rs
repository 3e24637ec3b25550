//! The principal type is [`Table`]: a table of the file; its values know their place.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::problem::{Bad, Problem, meant};
use crate::value::Value;

/// A table of the file.
#[derive(Clone, Debug)]
pub struct Table<'t> {
    entries: &'t DeTable<'t>,
    span: Range<usize>,
    place: String,
}

impl<'t> Table<'t> {
    pub(crate) fn root(root: &'t Spanned<DeTable<'t>>) -> Self {
        Self { entries: root.get_ref(), span: 0..0, place: "the file".into() }
    }

    /// The table of a value, called `place` in errors.
    ///
    /// # Errors
    /// If it is no table: `expected` says what it may be.
    pub fn of(value: &Value<'t>, place: impl Into<String>, expected: &str) -> Result<Self, Bad> {
        match value.raw() {
            DeValue::Table(entries) => Ok(Self { entries, span: value.span(), place: place.into() }),
            _ => Err(value.wrong_type(expected)),
        }
    }

    /// Reports unknown keys, in the order of the text. `belongs` says of some where they belong, as "it belongs in …";
    /// for the others the key that was probably meant is suggested.
    pub fn strangers(&self, known: &[&str], belongs: impl Fn(&str) -> Option<String>) -> Vec<Bad> {
        let mut unknown: Vec<_> = self.entries.keys().filter(|key| !known.contains(&key.get_ref().as_ref())).collect();
        unknown.sort_by_key(|key| key.span().start);
        let bad = |key: &Spanned<_>| {
            let word: &str = std::convert::AsRef::<str>::as_ref(key.get_ref());
            let meant = belongs(word).unwrap_or_else(|| meant(word, known));
            Problem::UnknownKey { key: word.into(), place: self.place.clone(), meant }.at(key.span())
        };
        unknown.into_iter().map(bad).collect()
    }

    /// A value, if it is given.
    pub fn get(&self, key: &'static str) -> Option<Value<'t>> {
        self.entries.get(key).map(|spanned| Value::new(key, spanned))
    }

    /// A required value.
    ///
    /// # Errors
    /// If it is missing: `expected` says what it would be.
    pub fn require(&self, key: &'static str, expected: &'static str) -> Result<Value<'t>, Bad> {
        self.get(key).ok_or_else(|| self.missing(key, expected))
    }

    /// Reports a missing key.
    pub fn missing(&self, key: &'static str, expected: &'static str) -> Bad {
        Problem::Missing { place: self.place.clone(), key, expected }.at(self.span.clone())
    }

    /// One of two values, or none.
    ///
    /// # Errors
    /// If both are given: `why` says why that is wrong.
    pub fn either(
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

    /// The place of a key.
    pub fn key_span(&self, key: &'static str, value: &Value<'t>) -> Range<usize> {
        self.entries.get_key_value(key).map_or(value.span(), |(key, _)| key.span())
    }

    /// All keys and values, in alphabetical order; errors name the values by this key.
    pub fn entries(&self, key: &'static str) -> impl Iterator<Item = (&'t str, Range<usize>, Value<'t>)> {
        self.entries.iter().map(move |(name, spanned)| (name.get_ref().as_ref(), name.span(), Value::new(key, spanned)))
    }

    /// The table's place in the text.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Its name: `[outbound.pool]`.
    pub fn place(&self) -> &str {
        &self.place
    }
}
