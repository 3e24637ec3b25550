//! The principal type is [`Value`]: a value of the file, asked for what it is expected to be.

use std::ops::{Range, RangeInclusive};
use std::time::Duration;

use toml::Spanned;
use toml::de::DeValue;

use super::problem::{Bad, Problem, meant};

/// A value, its key and its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value<'t> {
    pub(super) key: &'static str,
    pub(super) spanned: &'t Spanned<DeValue<'t>>,
}

/// Units of bytes, those that are written first.
const UNITS: [(&str, u64); 8] = [
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("kB", 1000),
    ("KB", 1000),
    ("B", 1),
];

// === impl Value ===

impl<'t> Value<'t> {
    pub(super) fn span(&self) -> Range<usize> {
        self.spanned.span()
    }

    pub(super) fn wrong_type(&self, expected: impl Into<String>) -> Bad {
        let found = match self.spanned.get_ref() {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) | DeValue::Float(_) => "a number",
            DeValue::Boolean(true) => "`true`",
            DeValue::Boolean(false) => "`false`",
            DeValue::Datetime(_) => "a date or time",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        Problem::WrongType { key: self.key.into(), found, expected: expected.into() }.at(self.span())
    }

    /// This value cannot be.
    pub(super) fn refuse(&self, value: impl Into<String>, expected: impl Into<String>) -> Bad {
        Problem::Value { key: self.key.into(), value: value.into(), expected: expected.into() }.at(self.span())
    }

    pub(super) fn as_text(&self) -> Option<&'t str> {
        self.spanned.get_ref().as_str()
    }

    pub(super) fn as_flag(&self) -> Option<bool> {
        self.spanned.get_ref().as_bool()
    }

    pub(super) fn is_table(&self) -> bool {
        self.spanned.get_ref().is_table()
    }

    pub(super) fn text(&self, expected: &str) -> Result<&'t str, Bad> {
        self.as_text().ok_or_else(|| self.wrong_type(expected))
    }

    /// A text that is not blank and could be a name or a path.
    pub(super) fn words(&self) -> Result<&'t str, Bad> {
        let text = self.text("a string in quotes")?;
        if text.trim().is_empty() {
            return Err(self.refuse("empty", "a value"));
        }
        if text.contains(|letter: char| letter.is_control()) {
            return Err(self.refuse("a string with control characters", "a string without them"));
        }
        Ok(text)
    }

    pub(super) fn flag(&self) -> Result<bool, Bad> {
        self.as_flag().ok_or_else(|| self.wrong_type("true or false"))
    }

    /// A whole number within bounds.
    pub(super) fn whole(&self, bounds: RangeInclusive<u64>) -> Result<u64, Bad> {
        let expected = || format!("a whole number from {} to {}", bounds.start(), bounds.end());
        let DeValue::Integer(number) = self.spanned.get_ref() else { return Err(self.wrong_type(expected())) };
        let parsed = u64::from_str_radix(number.as_str(), number.radix()).ok();
        parsed.filter(|number| bounds.contains(number)).ok_or_else(|| self.refuse(number.to_string(), expected()))
    }

    /// A number within bounds.
    pub(super) fn number(&self, bounds: RangeInclusive<f64>, expected: &str) -> Result<f64, Bad> {
        let (parsed, shown) = self.decimal().ok_or_else(|| self.wrong_type(expected))?;
        // A number that is none is within no bounds.
        parsed.filter(|number| bounds.contains(number)).ok_or_else(|| self.refuse(shown, expected))
    }

    fn decimal(&self) -> Option<(Option<f64>, String)> {
        match self.spanned.get_ref() {
            DeValue::Integer(number) if number.radix() == 10 => {
                Some((number.as_str().parse().ok(), number.to_string()))
            }
            DeValue::Float(number) => Some((number.as_str().parse().ok(), number.to_string())),
            _ => None,
        }
    }

    /// A share from 0 to 1: `0.2` or `"20%"`.
    pub(super) fn share(&self) -> Result<f64, Bad> {
        let form = "a share from 0 to 1, or from \"0%\" to \"100%\"";
        let (parsed, shown) = match self.as_text() {
            Some(text) => {
                let number = text.strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
                (number.map(|number| number / 100.0), format!("`{text}`"))
            }
            None => self.decimal().ok_or_else(|| self.wrong_type(form))?,
        };
        parsed.filter(|share| (0.0..=1.0).contains(share)).ok_or_else(|| self.refuse(shown, form))
    }

    /// A duration within bounds, as a text with its unit.
    pub(super) fn duration(&self, bounds: RangeInclusive<Duration>) -> Result<Duration, Bad> {
        let form = "a duration as a string with a unit, such as \"250ms\", \"4s\" or \"1m\"";
        let Some(text) = self.as_text() else {
            if let DeValue::Integer(number) = self.spanned.get_ref() {
                return Err(self.wrong_type(format!("{form}; did you mean \"{number}s\"?")));
            }
            return Err(self.wrong_type(form));
        };
        let parsed = humantime::parse_duration(text).map_err(|_| self.refuse(format!("`{text}`"), form))?;
        if bounds.contains(&parsed) {
            return Ok(parsed);
        }
        let show = humantime::format_duration;
        Err(self.refuse(
            format!("`{text}`"),
            format!("a duration from {} to {}", show(*bounds.start()), show(*bounds.end())),
        ))
    }

    /// A number of bytes within bounds: `"64KiB"`, `"1MB"`, or a number.
    pub(super) fn bytes(&self, bounds: RangeInclusive<u64>) -> Result<u64, Bad> {
        let form = "a size as a string with a unit, such as \"64KiB\" or \"1MB\", or a whole number of bytes";
        let (parsed, shown) = match self.spanned.get_ref() {
            DeValue::Integer(number) => (u64::from_str_radix(number.as_str(), number.radix()).ok(), number.to_string()),
            DeValue::String(text) => (bytes_of(text), format!("`{text}`")),
            _ => return Err(self.wrong_type(form)),
        };
        let Some(bytes) = parsed else { return Err(self.refuse(shown, form)) };
        if bounds.contains(&bytes) {
            return Ok(bytes);
        }
        Err(self.refuse(shown, format!("a size from {} to {}", bytes_text(*bounds.start()), bytes_text(*bounds.end()))))
    }

    /// The values of a list; or this one alone.
    pub(super) fn each(&self) -> Vec<Self> {
        match self.spanned.get_ref() {
            DeValue::Array(list) => list.iter().map(|spanned| Self { key: self.key, spanned }).collect(),
            _ => vec![*self],
        }
    }

    /// The values of a list.
    pub(super) fn list(&self, expected: &str) -> Result<Vec<Self>, Bad> {
        if self.spanned.get_ref().is_array() { Ok(self.each()) } else { Err(self.wrong_type(expected)) }
    }

    /// One of a few words.
    pub(super) fn choice<T: Clone>(&self, words: &[(&'static str, T)]) -> Result<T, Bad> {
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let expected = || known.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" or ");
        let text = self.as_text().ok_or_else(|| self.wrong_type(expected()))?;
        words.iter().find(|(word, _)| *word == text).map(|(_, meaning)| meaning.clone()).ok_or_else(|| {
            let meant = meant(text, &known);
            Problem::UnknownWord { key: self.key.into(), value: text.into(), meant }.at(self.span())
        })
    }
}

fn bytes_of(text: &str) -> Option<u64> {
    let (unit, size) = UNITS.iter().find(|(unit, _)| text.ends_with(unit))?;
    let number: u64 = text.strip_suffix(unit)?.trim_end().parse().ok()?;
    number.checked_mul(*size)
}

/// As it would be written into the file.
pub(super) fn bytes_text(bytes: u64) -> String {
    match UNITS.iter().find(|(_, size)| bytes >= *size && bytes.is_multiple_of(*size)) {
        Some((unit, size)) => format!("{}{unit}", bytes / size),
        None => format!("{bytes}B"),
    }
}
