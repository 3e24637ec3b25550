//! The principal type is [`Value`]: a value of the file, read as an expected type.

use std::error::Error;
use std::io;
use std::ops::{Range, RangeInclusive};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use toml::Spanned;
use toml::de::DeValue;

use crate::hidden::hidden;
use crate::problem::{Bad, Problem, meant};

/// A value, its key and its place.
#[derive(Clone, Copy, Debug)]
pub struct Value<'t> {
    key: &'static str,
    spanned: &'t Spanned<DeValue<'t>>,
}

/// A day: the longest duration, unless a key says otherwise.
pub const DAY: Duration = Duration::from_secs(24 * 3600);
/// A millisecond: tokio's timers know none shorter.
pub const MILLISECOND: Duration = Duration::from_millis(1);

impl<'t> Value<'t> {
    pub(crate) fn new(key: &'static str, spanned: &'t Spanned<DeValue<'t>>) -> Self {
        Self { key, spanned }
    }

    pub(crate) fn raw(&self) -> &'t DeValue<'t> {
        self.spanned.get_ref()
    }

    /// Its key; within a list or a table of arbitrary names, the key of that.
    pub fn key(&self) -> &'static str {
        self.key
    }

    /// Its place in the text.
    pub fn span(&self) -> Range<usize> {
        self.spanned.span()
    }

    /// Reports a wrong type.
    pub fn wrong_type(&self, expected: impl Into<String>) -> Bad {
        let found = match self.raw() {
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

    /// Reports an invalid value. User and password of a URL are not repeated.
    pub fn refuse(&self, value: impl Into<String>, expected: impl Into<String>) -> Bad {
        let value = hidden(&value.into());
        Problem::Value { key: self.key.into(), value, expected: expected.into() }.at(self.span())
    }

    /// Reports an invalid secret: its line is shown only up to it.
    pub fn refuse_secret(&self, expected: impl Into<String>) -> Bad {
        Problem::Secret { key: self.key.into(), expected: expected.into() }.at(self.span())
    }

    /// Reports that the named file cannot be read, or is not what it should be.
    pub fn unusable(&self, path: PathBuf, source: io::Error) -> Bad {
        Problem::Unusable { key: self.key.into(), path, source }.at(self.span())
    }

    /// Reports an unknown word.
    pub fn unknown_word(&self, word: impl Into<String>, meant: impl Into<String>) -> Bad {
        Problem::UnknownWord { key: self.key.into(), value: word.into(), meant: meant.into() }.at(self.span())
    }

    /// Reports a problem of a reader's own kind.
    pub fn other(&self, error: impl Error + Send + Sync + 'static) -> Bad {
        Problem::other(error).at(self.span())
    }

    /// The string, if it is one.
    pub fn as_text(&self) -> Option<&'t str> {
        self.raw().as_str()
    }

    /// The flag, if it is one.
    pub fn as_flag(&self) -> Option<bool> {
        self.raw().as_bool()
    }

    /// Whether it is a string.
    pub fn is_text(&self) -> bool {
        self.raw().is_str()
    }

    /// Whether it is a table.
    pub fn is_table(&self) -> bool {
        self.raw().is_table()
    }

    /// A string.
    ///
    /// # Errors
    /// If it is none; as with all that follow, the error says what is expected.
    pub fn text(&self) -> Result<&'t str, Bad> {
        self.text_as("a string in quotes")
    }

    /// A string; errors say that `expected` is expected.
    pub fn text_as(&self, expected: &str) -> Result<&'t str, Bad> {
        self.as_text().ok_or_else(|| self.wrong_type(expected))
    }

    fn not_blank(&self) -> Result<&'t str, Bad> {
        self.text()
            .and_then(|text| if text.trim().is_empty() { Err(self.refuse("empty", "a value")) } else { Ok(text) })
    }

    /// A string that is not blank and could be a command: no argument of a program has a zero byte.
    pub fn words(&self) -> Result<&'t str, Bad> {
        let text = self.not_blank()?;
        if text.contains('\0') {
            return Err(self.refuse("a string with a zero byte", "a string without it"));
        }
        Ok(text)
    }

    /// A string that is not blank and could be a name or a path: without line breaks and other control characters.
    pub fn one_line(&self) -> Result<&'t str, Bad> {
        let text = self.not_blank()?;
        if text.contains(|letter: char| letter.is_control()) {
            return Err(self.refuse("a string with control characters", "a string without them"));
        }
        Ok(text)
    }

    /// `true` or `false`.
    pub fn flag(&self) -> Result<bool, Bad> {
        self.as_flag().ok_or_else(|| self.wrong_type("true or false"))
    }

    /// A whole number within bounds.
    pub fn whole(&self, bounds: RangeInclusive<u64>) -> Result<u64, Bad> {
        let expected = || format!("a whole number from {} to {}", bounds.start(), bounds.end());
        let DeValue::Integer(number) = self.raw() else { return Err(self.wrong_type(expected())) };
        let parsed = u64::from_str_radix(number.as_str(), number.radix()).ok();
        parsed.filter(|number| bounds.contains(number)).ok_or_else(|| self.refuse(number.to_string(), expected()))
    }

    /// A number within bounds.
    pub fn number(&self, bounds: RangeInclusive<f64>, expected: &str) -> Result<f64, Bad> {
        let (parsed, shown) = self.decimal().ok_or_else(|| self.wrong_type(expected))?;
        // NaN is within no bounds.
        parsed.filter(|number| bounds.contains(number)).ok_or_else(|| self.refuse(shown, expected))
    }

    fn decimal(&self) -> Option<(Option<f64>, String)> {
        match self.raw() {
            DeValue::Integer(number) if number.radix() == 10 => {
                Some((number.as_str().parse().ok(), number.to_string()))
            }
            DeValue::Float(number) => Some((number.as_str().parse().ok(), number.to_string())),
            _ => None,
        }
    }

    /// A share from 0 to 1: `0.2` or `"20%"`.
    pub fn share(&self) -> Result<f64, Bad> {
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

    /// A duration within bounds, as a string with its unit.
    pub fn duration(&self, bounds: RangeInclusive<Duration>) -> Result<Duration, Bad> {
        let form = "a duration as a string with a unit, such as \"250ms\", \"4s\" or \"1m\"";
        let Some(text) = self.as_text() else {
            if let DeValue::Integer(number) = self.raw() {
                return Err(self.wrong_type(format!("{form}; did you mean \"{number}s\"?")));
            }
            return Err(self.wrong_type(form));
        };
        let parsed = humantime::parse_duration(text).map_err(|_| self.refuse(format!("`{text}`"), form))?;
        if bounds.contains(&parsed) {
            return Ok(parsed);
        }
        let show = humantime::format_duration;
        let expected = format!("a duration from {} to {}", show(*bounds.start()), show(*bounds.end()));
        Err(self.refuse(format!("`{text}`"), expected))
    }

    /// A number of bytes within bounds: `"64KiB"`, `"1MB"`, or a number.
    pub fn bytes(&self, bounds: RangeInclusive<u64>) -> Result<u64, Bad> {
        let form = "a size as a string with a unit, such as \"64KiB\" or \"1MB\", or a whole number of bytes";
        let (parsed, shown) = match self.raw() {
            DeValue::Integer(number) => (u64::from_str_radix(number.as_str(), number.radix()).ok(), number.to_string()),
            DeValue::String(text) => (parse_bytes(text), format!("`{text}`")),
            _ => return Err(self.wrong_type(form)),
        };
        let Some(bytes) = parsed else { return Err(self.refuse(shown, form)) };
        if bounds.contains(&bytes) {
            return Ok(bytes);
        }
        Err(self.refuse(shown, format!("a size from {} to {}", bytes_text(*bounds.start()), bytes_text(*bounds.end()))))
    }

    /// The values of a list; or this one alone.
    pub fn each(&self) -> Vec<Self> {
        match self.raw() {
            DeValue::Array(list) => list.iter().map(|spanned| Self { key: self.key, spanned }).collect(),
            _ => vec![*self],
        }
    }

    /// The values of a list.
    pub fn list(&self, expected: &str) -> Result<Vec<Self>, Bad> {
        if self.raw().is_array() { Ok(self.each()) } else { Err(self.wrong_type(expected)) }
    }

    /// One of a few words.
    pub fn choice<T: Clone>(&self, words: &[(&'static str, T)]) -> Result<T, Bad> {
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let expected = || known.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" or ");
        let text = self.as_text().ok_or_else(|| self.wrong_type(expected()))?;
        let meaning = words.iter().find(|(word, _)| *word == text).map(|(_, meaning)| meaning.clone());
        meaning.ok_or_else(|| self.unknown_word(text, meant(text, &known)))
    }

    /// A string parsed as another type.
    pub fn parse<T: FromStr>(&self) -> Result<T, Bad>
    where
        T::Err: Error + Send + Sync + 'static,
    {
        self.text()?.parse().map_err(|error: T::Err| self.other(error))
    }
}

/// Units, the preferred ones for output first.
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

/// `None` if it is no number with a unit, or too large.
pub(crate) fn parse_bytes(text: &str) -> Option<u64> {
    let (unit, size) = UNITS.iter().find(|(unit, _)| text.ends_with(unit))?;
    let number: u64 = text.strip_suffix(unit)?.trim_end().parse().ok()?;
    number.checked_mul(*size)
}

/// A size as it would be written in the file.
pub fn bytes_text(bytes: u64) -> String {
    match UNITS.iter().find(|(_, size)| bytes >= *size && bytes.is_multiple_of(*size)) {
        Some((unit, size)) => format!("{}{unit}", bytes / size),
        None => format!("{bytes}B"),
    }
}
