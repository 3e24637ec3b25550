//! PostgreSQL's parameters and results as text, whatever the types of the query are.

use std::error::Error;

use tokio_postgres::error::SqlState;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{Format, FromSql, IsNull, ToSql, Type, to_sql_checked};
use unladen_tls::TlsFault;

use crate::AskError;
use crate::counts::text;

/// A parameter of any type: the server parses the text.
#[derive(Debug)]
pub(super) struct Text<'a>(pub(super) &'a str);

#[derive(Debug)]
pub(super) struct Raw<'a>(pub(super) &'a [u8]);

/// Whether the text can be a value of this type, as far as known here. The server refuses the rest; each refusal is a
/// line in its log, which clients with invented paths could fill.
pub(super) fn fits(text: &str, kind: &Type) -> bool {
    match *kind {
        Type::INT2 => integer(text, i16::MIN.into(), i16::MAX.into()),
        Type::INT4 => integer(text, i32::MIN.into(), i32::MAX.into()),
        Type::INT8 => integer(text, i64::MIN, i64::MAX),
        Type::OID => integer(text, 0, u32::MAX.into()),
        // With or without hyphens and braces, as the server accepts it.
        Type::UUID => {
            let digits = text.bytes().filter(u8::is_ascii_hexdigit).count();
            digits == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit() || matches!(byte, b'-' | b'{' | b'}'))
        }
        Type::FLOAT4 | Type::FLOAT8 | Type::NUMERIC => {
            let name = text.trim_ascii().trim_start_matches(['+', '-']).to_ascii_lowercase();
            matches!(&*name, "nan" | "inf" | "infinity")
                || name.starts_with(|first: char| first.is_ascii_digit() || first == '.')
        }
        _ => true,
    }
}

/// Whether it is a number in this range, perhaps with white space around. Hexadecimal and the like, which PostgreSQL
/// accepts since 16, are left to the server.
fn integer(text: &str, least: i64, most: i64) -> bool {
    let text = text.trim_ascii();
    let digits = text.trim_start_matches(['+', '-']);
    if !digits.starts_with(|first: char| first.is_ascii_digit()) {
        return false;
    }
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse::<i64>().is_ok_and(|value| (least..=most).contains(&value));
    }
    digits.contains('_') && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_')
        || digits.starts_with('0') && digits.as_bytes().get(1).is_some_and(|byte| b"xXoObB".contains(byte))
}

/// A time or a number as text; other values as they are. Different values of a type have different texts.
pub(super) fn version(raw: &[u8], kind: &Type) -> Box<[u8]> {
    let text = match *kind {
        Type::INT2 => raw.try_into().ok().map(|bytes| i16::from_be_bytes(bytes).to_string()),
        Type::INT4 => raw.try_into().ok().map(|bytes| i32::from_be_bytes(bytes).to_string()),
        Type::INT8 => raw.try_into().ok().map(|bytes| i64::from_be_bytes(bytes).to_string()),
        Type::FLOAT8 => raw.try_into().ok().map(|bytes| f64::from_be_bytes(bytes).to_string()),
        Type::TIMESTAMPTZ => raw.try_into().ok().and_then(|bytes| since_1970(i64::from_be_bytes(bytes))),
        Type::NUMERIC => numeric(raw),
        _ => None,
    };
    text.map_or_else(|| raw.into(), |text| text.into_bytes().into())
}

/// Converts microseconds since 2000 to seconds since 1970. `None` for `infinity`.
fn since_1970(micros: i64) -> Option<String> {
    const FROM_1970_TO_2000: i64 = 946_684_800;
    if matches!(micros, i64::MIN | i64::MAX) {
        return None;
    }
    let seconds = micros.div_euclid(1_000_000) + FROM_1970_TO_2000;
    Some(format!("{seconds}.{:06}", micros.rem_euclid(1_000_000)))
}

/// Reads a binary `numeric`: digits of base 10000, of which `weight` + 1 are before the point. `None` if it is no
/// number, or very long.
fn numeric(raw: &[u8]) -> Option<String> {
    const MOST: usize = 32;
    let mut words = raw.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
    let (count, weight, sign, scale) = (words.next()?, words.next()?.cast_signed(), words.next()?, words.next()?);
    let digits: Vec<u16> = words.collect();
    if digits.len() != usize::from(count) || digits.len() > MOST || usize::from(scale) > 4 * MOST {
        return None;
    }
    let whole = usize::try_from(i32::from(weight) + 1).unwrap_or(0);
    if whole > MOST || !matches!(sign, 0 | 0x4000) || i32::from(weight) < -32 {
        return None;
    }
    let before = usize::try_from(-1 - i32::from(weight)).unwrap_or(0);
    let mut text = String::new();
    for place in 0..whole {
        text.push_str(&format!("{:04}", digits.get(place).copied().unwrap_or(0)));
    }
    let trimmed = text.trim_start_matches('0');
    let mut text = format!("{}{}", if sign == 0 { "" } else { "-" }, if trimmed.is_empty() { "0" } else { trimmed });
    if scale > 0 {
        let mut fraction = "0000".repeat(before);
        digits.iter().skip(whole).for_each(|digit| fraction.push_str(&format!("{digit:04}")));
        while fraction.len() < usize::from(scale) {
            fraction.push('0');
        }
        text.push('.');
        text.push_str(&fraction);
    }
    Some(text)
}

impl ToSql for Text<'_> {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        out.extend_from_slice(self.0.as_bytes());
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, _: &Type) -> Format {
        Format::Text
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for Raw<'a> {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(raw))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// `shown`: the server as messages name it.
pub(super) fn explain(error: &tokio_postgres::Error, shown: &str) -> AskError {
    if let Some(said) = error.as_db_error() {
        let code = said.code().code();
        let message = text(format!("{} ({code})", said.message()));
        return match code.get(..2) {
            _ if *said.code() == SqlState::QUERY_CANCELED => AskError::Timeout,
            Some("28") => AskError::Refused(message),
            Some("08" | "53" | "57" | "58") => AskError::Unreachable(message),
            _ => AskError::Query(message),
        };
    }
    let cause = std::error::Error::source(error);
    // Each host has answered, and the last one may only have said that it is no primary.
    let last = if shown.contains(", ") { " (from the last of these hosts)" } else { "" };
    let message = text(match cause.and_then(|cause| cause.downcast_ref::<std::io::Error>()) {
        Some(source) if error.to_string() == "error performing TLS handshake" => {
            format!("{shown}: no TLS: {}{last}", TlsFault::of(source))
        }
        _ => format!("{shown}: {error}{}{last}", cause.map(|cause| format!(": {cause}")).unwrap_or_default()),
    });
    // These kinds have no other text: for example a password is requested and none is given.
    if error.to_string() == "authentication error" || error.to_string() == "invalid configuration" {
        AskError::Refused(message)
    } else {
        AskError::Unreachable(message)
    }
}

#[cfg(test)]
mod tests;
