//! What goes to PostgreSQL and comes back: texts, whatever the types of the query are.

use std::error::Error;

use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{Format, FromSql, IsNull, ToSql, Type, to_sql_checked};

/// A parameter, of whichever type: the server reads the text.
#[derive(Debug)]
pub(super) struct Text<'a>(pub(super) &'a str);

/// A column's bytes as they are.
#[derive(Debug)]
pub(super) struct Raw<'a>(pub(super) &'a [u8]);

/// Whether the text can be a value of this type, as far as it is known here. The server refuses the rest; each refusal is a line in
/// its log, which whoever invents paths could fill.
pub(super) fn fits(text: &str, kind: &Type) -> bool {
    match *kind {
        Type::INT2 => integer(text, i16::MIN.into(), i16::MAX.into()),
        Type::INT4 => integer(text, i32::MIN.into(), i32::MAX.into()),
        Type::INT8 => integer(text, i64::MIN, i64::MAX),
        Type::OID => integer(text, 0, u32::MAX.into()),
        // With or without hyphens and braces, as the server reads it.
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

/// Whether it is a number between these, white space around it allowed. Hexadecimal and the like, which PostgreSQL reads since 16,
/// are for the server.
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

// === impl Text ===

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

// === impl Raw ===

impl<'a> FromSql<'a> for Raw<'a> {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(raw))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
