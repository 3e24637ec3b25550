//! The principal type is [`Value`]: a value of the file, asked for what it is expected to be.

use std::ops::{Range, RangeInclusive};
use std::time::Duration;

use toml::Spanned;
use toml::de::DeValue;

use crate::read::problem::{Bad, Problem, meant};

/// A value, its key and its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value<'t> {
    pub(crate) key: &'static str,
    pub(crate) spanned: &'t Spanned<DeValue<'t>>,
}

// === impl Value ===

impl<'t> Value<'t> {
    pub(crate) fn span(&self) -> Range<usize> {
        self.spanned.span()
    }

    pub(crate) fn wrong_type(&self, expected: impl Into<String>) -> Bad {
        let found = match self.spanned.get_ref() {
            DeValue::String(_) => "a text",
            DeValue::Integer(_) | DeValue::Float(_) => "a number",
            DeValue::Boolean(_) => "true or false",
            DeValue::Datetime(_) => "a date or time",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        Problem::WrongType { key: self.key.into(), found, expected: expected.into() }.at(self.span())
    }

    /// This value is out of bounds.
    pub(crate) fn refuse(&self, value: impl Into<String>, expected: impl Into<String>) -> Bad {
        Problem::Value { key: self.key.into(), value: value.into(), expected: expected.into() }.at(self.span())
    }

    /// This value has a problem.
    pub(crate) fn problem(&self, problem: impl Into<Problem>) -> Bad {
        problem.into().at(self.span())
    }

    pub(crate) fn is_text(&self) -> bool {
        self.spanned.get_ref().is_str()
    }

    pub(crate) fn text(&self) -> Result<&'t str, Bad> {
        self.spanned.get_ref().as_str().ok_or_else(|| self.wrong_type("a text in quotes"))
    }

    /// A text that is not blank and could be a name, a command or a path.
    pub(crate) fn words(&self) -> Result<&'t str, Bad> {
        let text = self.text()?;
        if text.trim().is_empty() {
            return Err(self.refuse("empty", "something"));
        }
        if text.contains('\0') {
            return Err(self.refuse("a text with a zero byte", "a text without"));
        }
        Ok(text)
    }

    pub(crate) fn flag(&self) -> Result<bool, Bad> {
        self.spanned.get_ref().as_bool().ok_or_else(|| self.wrong_type("true or false"))
    }

    /// A whole number within bounds.
    pub(crate) fn whole(&self, bounds: RangeInclusive<u64>) -> Result<u64, Bad> {
        let expected = || format!("a whole number from {} to {}", bounds.start(), bounds.end());
        let DeValue::Integer(number) = self.spanned.get_ref() else { return Err(self.wrong_type(expected())) };
        let parsed = u64::from_str_radix(number.as_str(), number.radix()).ok();
        parsed.filter(|number| bounds.contains(number)).ok_or_else(|| self.refuse(number.to_string(), expected()))
    }

    /// A number within bounds.
    pub(crate) fn number(&self, bounds: RangeInclusive<f64>, expected: &str) -> Result<f64, Bad> {
        let (parsed, shown) = match self.spanned.get_ref() {
            DeValue::Integer(number) if number.radix() == 10 => (number.as_str().parse().ok(), number.to_string()),
            DeValue::Float(number) => (number.as_str().parse().ok(), number.to_string()),
            _ => return Err(self.wrong_type(expected)),
        };
        // A number that is none is within no bounds.
        parsed.filter(|number| bounds.contains(number)).ok_or_else(|| self.refuse(shown, expected))
    }

    /// A duration within bounds, as a text with its unit.
    pub(crate) fn duration(&self, bounds: RangeInclusive<Duration>) -> Result<Duration, Bad> {
        let form = "a duration as text with its unit, such as \"200ms\", \"5s\" or \"2min\"";
        let Some(text) = self.spanned.get_ref().as_str() else {
            if let DeValue::Integer(number) = self.spanned.get_ref() {
                return Err(self.wrong_type(format!("{form}; is it \"{number}s\"?")));
            }
            return Err(self.wrong_type(form));
        };
        let parsed = humantime::parse_duration(text).map_err(|_| self.refuse(format!("`{text}`"), form))?;
        if bounds.contains(&parsed) {
            return Ok(parsed);
        }
        let show = humantime::format_duration;
        Err(self.refuse(format!("`{text}`"), format!("from {} to {}", show(*bounds.start()), show(*bounds.end()))))
    }

    /// The values of a list; or this one alone.
    pub(crate) fn each(&self) -> Vec<Self> {
        match self.spanned.get_ref() {
            DeValue::Array(list) => list.iter().map(|spanned| Self { key: self.key, spanned }).collect(),
            _ => vec![*self],
        }
    }

    /// The values of a list.
    pub(crate) fn list(&self, expected: &str) -> Result<Vec<Self>, Bad> {
        if self.spanned.get_ref().is_array() { Ok(self.each()) } else { Err(self.wrong_type(expected)) }
    }

    /// One of a few words.
    pub(crate) fn choice<T: Copy>(&self, words: &[(&str, T)]) -> Result<T, Bad> {
        let text = self.text()?;
        words.iter().find(|(word, _)| *word == text).map(|(_, meaning)| *meaning).ok_or_else(|| {
            let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            self.problem(Problem::UnknownWord { key: self.key.into(), value: text.into(), meant: meant(text, &known) })
        })
    }

    /// What its text stands for.
    pub(crate) fn parse<T: std::str::FromStr>(&self) -> Result<T, Bad>
    where
        Problem: From<T::Err>,
    {
        self.text()?.parse().map_err(|error: T::Err| self.problem(error))
    }
}
