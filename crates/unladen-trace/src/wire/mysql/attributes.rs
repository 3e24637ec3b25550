//! [`attributes`]: the part before a query's text.

use super::packet::number;
use crate::wire::reader::ByteReader;

const MAX_ATTRIBUTES: u64 = 1000;

/// The text after the attributes of a query: count, sets (always one), and if there are any: which are NULL, their
/// types and names, their values.
pub(super) fn attributes(body: &[u8]) -> Option<&[u8]> {
    let mut reader = ByteReader(body);
    let count = number(&mut reader)?;
    number(&mut reader)?;
    if count == 0 {
        return Some(reader.0);
    }
    if count > MAX_ATTRIBUTES {
        return None;
    }
    let nulls = reader.take(usize::try_from(count.div_ceil(8)).ok()?)?;
    if reader.u8()? != 1 {
        return None;
    }
    let mut types = Vec::new();
    for _ in 0..count {
        types.push(reader.u16_le()?.to_le_bytes()[0]);
        let name = usize::try_from(number(&mut reader)?).ok()?;
        reader.take(name)?;
    }
    for (at, kind) in types.into_iter().enumerate() {
        if nulls.get(at / 8).is_some_and(|byte| byte >> (at % 8) & 1 == 1) {
            continue;
        }
        let length = match kind {
            // TINY; SHORT, YEAR; LONG, FLOAT, INT24; DOUBLE, LONGLONG; NULL
            1 => 1,
            2 | 13 => 2,
            3 | 4 | 9 => 4,
            5 | 8 => 8,
            6 => 0,
            // TIMESTAMP, DATE, TIME, DATETIME: with a length prefix
            7 | 10 | 11 | 12 => usize::from(reader.u8()?),
            _ => usize::try_from(number(&mut reader)?).ok()?,
        };
        reader.take(length)?;
    }
    Some(reader.0)
}
