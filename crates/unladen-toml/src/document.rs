//! The principal type is [`Document`]: a parsed TOML text.

use std::borrow::Cow;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::problem::{Bad, Problem};
use crate::table::Table;

/// A parsed TOML text.
#[derive(Debug)]
pub struct Document<'t> {
    root: Spanned<DeTable<'t>>,
}

impl<'t> Document<'t> {
    /// Parses a text as far as possible, and returns all syntax errors in order.
    pub fn parse(text: &'t str) -> (Self, Vec<Bad>) {
        let (root, errors) = DeTable::parse_recoverable(text);
        (Self { root }, errors.iter().map(|error| syntax(text, error)).collect())
    }

    /// The table of the whole file.
    pub fn root(&self) -> Table<'_> {
        Table::root(&self.root)
    }

    /// Replaces its strings, wherever they are, except those below one top-level key.
    pub fn replace_texts(&mut self, but: &str, replace: impl Fn(&str) -> Option<String>) {
        for (key, value) in self.root.get_mut().iter_mut() {
            if key.get_ref() != but {
                replace_in(value.get_mut(), &replace);
            }
        }
    }
}

fn replace_in(value: &mut DeValue<'_>, replace: &impl Fn(&str) -> Option<String>) {
    match value {
        DeValue::String(text) => {
            if let Some(other) = replace(text) {
                *text = Cow::Owned(other);
            }
        }
        DeValue::Array(values) => values.iter_mut().for_each(|value| replace_in(value.get_mut(), replace)),
        DeValue::Table(table) => table.iter_mut().for_each(|(_, value)| replace_in(value.get_mut(), replace)),
        _ => {}
    }
}

fn syntax(text: &str, error: &toml::de::Error) -> Bad {
    let span = error.span().unwrap_or(0..0);
    // It lists what a value could begin with, but not that there is none.
    let (before, after) = text.split_at_checked(span.start).unwrap_or_default();
    let no_value = before.trim_end_matches([' ', '\t']).ends_with('=')
        && (after.trim_start_matches([' ', '\t']).starts_with(['\n', '\r', '#']) || after.trim().is_empty());
    let message = match no_value {
        true => "there is no value after `=`".into(),
        false => error.message().lines().collect::<Vec<_>>().join(", "),
    };
    Problem::Syntax { message }.at(span)
}
