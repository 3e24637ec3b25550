//! [`rows`]: number of rows in an answer.

use crate::wire::reader::ByteReader;

/// Rows of all completed commands, if backend messages chain up to the end and one of them completes a command.
pub(super) fn rows(tail: &[u8]) -> Option<u64> {
    let mut reader = ByteReader(tail);
    let mut rows = None;
    while let Some(tag) = reader.u8() {
        if !matches!(
            tag,
            b'1' | b'2'
                | b'3'
                | b'A'
                | b'C'
                | b'D'
                | b'E'
                | b'I'
                | b'K'
                | b'N'
                | b'R'
                | b'S'
                | b'T'
                | b'Z'
                | b'c'
                | b'n'
                | b's'
                | b't'
        ) {
            return None;
        }
        let length = reader.u32()?.checked_sub(4)?;
        let body = reader.take(usize::try_from(length).ok()?)?;
        match (tag, body) {
            (b'C', body) => {
                let command = command_rows(body.strip_suffix(b"\0")?)?;
                rows = Some(rows.unwrap_or(0_u64).saturating_add(command));
            }
            (b'Z', [b'I' | b'T' | b'E']) => {}
            (b'Z', _) => return None,
            _ => {}
        }
    }
    rows
}

/// `SELECT 5`, `INSERT 0 1`, `BEGIN`.
fn command_rows(tag: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(tag).ok()?;
    let (command, last) = text.rsplit_once(' ').unwrap_or((text, ""));
    if !command.bytes().all(|byte| byte.is_ascii_uppercase() || matches!(byte, b' ' | b'0'..=b'9'))
        || command.is_empty()
    {
        return None;
    }
    Some(last.parse().unwrap_or(0))
}
