//! Shared by readers of JSON: [`document`] reads a whole file, [`Number`] is a number in it.

use std::fmt;

use serde::de::{self, Deserialize, DeserializeOwned, Deserializer, Visitor};

use crate::input::Input;
use crate::readers::ReadError;

/// A number; whole ones are exact even beyond the precision of a double.
#[derive(Debug, Clone, Copy, PartialEq, derive_more::Display)]
pub(crate) enum Number {
    /// Not negative.
    #[display("{_0}")]
    Whole(u64),
    /// Infinite if beyond the range of a double.
    #[display("{_0}")]
    Double(f64),
}

/// Parses a whole file. Unknown fields are skipped without being stored.
pub(crate) fn document<T: DeserializeOwned>(format: &'static str, input: &mut Input<'_>) -> Result<T, ReadError> {
    let mut deserializer = serde_json::Deserializer::from_reader(std::io::BufReader::new(&mut *input));
    let read = T::deserialize(&mut deserializer).and_then(|read| deserializer.end().map(|()| read));
    drop(deserializer);
    read.map_err(|error| {
        let (line, column) = (error.line(), error.column());
        if error.is_io() {
            return ReadError::at_byte(format, input.offset(), error.to_string());
        }
        let text = error.to_string();
        let what = text.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&text);
        let cut_off = if error.is_eof() { "the file is cut off: " } else { "" };
        ReadError::at_line(format, line as u64, format!("column {column}: {cut_off}{what}"))
    })
}

/// A fault in valid JSON: `what` begins with the place, such as `profiles[2].samples[7]`.
pub(crate) fn wrong(format: &'static str, what: impl Into<String>) -> ReadError {
    ReadError::at_byte(format, 0, what)
}

pub(crate) fn is_object(head: &[u8]) -> bool {
    head.trim_ascii_start().first() == Some(&b'{')
}

// === impl Number ===

impl Number {
    pub(crate) fn whole(self) -> Option<u64> {
        match self {
            Self::Whole(whole) => Some(whole),
            Self::Double(double) => (double.fract() == 0.0).then(|| rounded(double)).flatten(),
        }
    }

    /// Multiplied by a unit and rounded; `None` if negative or too large.
    pub(crate) fn times(self, unit: u64) -> Option<u64> {
        match self {
            Self::Whole(whole) => whole.checked_mul(unit),
            Self::Double(double) => rounded(double * unit as f64),
        }
    }

    /// Decimal places, up to a number of them; `None` if it has more.
    pub(crate) fn decimals(self, most: u32) -> Option<u32> {
        let Self::Double(double) = self else { return Some(0) };
        (0..=most).find(|decimals| {
            let scaled = double * 10_f64.powi(*decimals as i32);
            (scaled - scaled.round()).abs() <= scaled.abs() * 4.0 * f64::EPSILON
        })
    }

    pub(crate) fn index(self) -> Option<usize> {
        usize::try_from(self.whole()?).ok()
    }
}

fn rounded(double: f64) -> Option<u64> {
    // As a double, the maximum is rounded up to one more.
    (double > -0.5 && double < u64::MAX as f64).then(|| double.round() as u64)
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Numbers;
        impl Visitor<'_> for Numbers {
            type Value = Number;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a number")
            }

            fn visit_u64<E: de::Error>(self, whole: u64) -> Result<Number, E> {
                Ok(Number::Whole(whole))
            }

            fn visit_i64<E: de::Error>(self, whole: i64) -> Result<Number, E> {
                Ok(u64::try_from(whole).map_or(Number::Double(whole as f64), Number::Whole))
            }

            fn visit_f64<E: de::Error>(self, double: f64) -> Result<Number, E> {
                Ok(Number::Double(double))
            }
        }
        deserializer.deserialize_any(Numbers)
    }
}
