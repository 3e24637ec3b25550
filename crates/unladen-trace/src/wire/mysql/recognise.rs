//! [`looks_like_mysql`]: recognises MySQL and MariaDB.

use crate::wire::reader::ByteReader;

/// Whether a client may send this first (its answer to the greeting), or after unseen bytes.
pub fn looks_like_mysql(first: &[u8]) -> bool {
    is_handshake(first) || is_command(first, first.len()) || is_command(first, usize::MAX) && has_text(first)
}

/// `HandshakeResponse41` or `SSLRequest`.
pub(super) fn is_handshake(first: &[u8]) -> bool {
    let mut reader = ByteReader(first);
    let (Some(length), Some(sequence), Some(capabilities)) = (reader.u24_le(), reader.u8(), reader.u32_le()) else {
        return false;
    };
    let (Some(_longest), Some(_charset), Some(filler)) = (reader.u32_le(), reader.u8(), reader.take(19)) else {
        return false;
    };
    sequence == 1
        && (SSL_REQUEST as u32..0x1_0000).contains(&length)
        && capabilities & PROTOCOL_41 != 0
        && filler.iter().all(|byte| *byte == 0)
}

/// A single command with nothing after it: a client waits for the answer. COM_STMT_CLOSE and COM_STMT_SEND_LONG_DATA
/// have no answer, so that a command may follow them.
pub(super) fn is_command(payload: &[u8], total: usize) -> bool {
    let mut reader = ByteReader(payload);
    let mut left = total;
    loop {
        let (Some(length), Some(sequence), Some(kind)) = (reader.u24_le(), reader.u8(), reader.u8()) else {
            return false;
        };
        let known = is_kind(kind, length);
        let length = length as usize;
        if !known || sequence != 0 {
            return false;
        }
        left = left.saturating_sub(HEAD + length);
        if left == 0 || length == LARGE as usize {
            return left > 0 || total >= HEAD + length;
        }
        if reader.take(length - 1).is_none() {
            return total > payload.len();
        }
        if reader.0.is_empty() {
            return total == usize::MAX;
        }
    }
}

/// Whether these may be the first five bytes of a command whose end may come later.
pub(super) fn may_begin_command(payload: &[u8]) -> bool {
    let mut reader = ByteReader(payload);
    match (reader.u24_le(), reader.u8(), reader.u8()) {
        (Some(length), Some(0), Some(kind)) => is_kind(kind, length),
        _ => false,
    }
}

fn is_kind(kind: u8, length: u32) -> bool {
    match kind {
        // QUIT, STATISTICS, PING, RESET_CONNECTION
        0x01 | 0x09 | 0x0e | 0x1f => length == 1,
        // INIT_DB, QUERY, FIELD_LIST, CHANGE_USER, PREPARE
        0x02 | 0x03 | 0x04 | 0x11 | 0x16 => length > 1,
        // EXECUTE, SEND_LONG_DATA, BULK_EXECUTE
        0x17 | 0x18 | 0xfa => length >= 7,
        // CLOSE, RESET
        0x19 | 0x1a => length == 5,
        // SET_OPTION, FETCH
        0x1b => length == 3,
        0x1c => length == 9,
        _ => false,
    }
}

/// Whether a text command contains text.
fn has_text(first: &[u8]) -> bool {
    matches!(first.get(4), Some(0x03 | 0x16))
        && first.get(5..).is_some_and(|text| {
            let text = text.get(..32).unwrap_or(text);
            let text = text.strip_prefix(&[0, 1]).unwrap_or(text);
            text.len() >= 3 && !text.iter().any(|byte| *byte < b' ' && !byte.is_ascii_whitespace())
        })
}

/// Capabilities of the client: `CLIENT_SSL`, `CLIENT_COMPRESS`, `CLIENT_PROTOCOL_41`,
/// `CLIENT_ZSTD_COMPRESSION_ALGORITHM`, `CLIENT_QUERY_ATTRIBUTES`.
pub(super) const SSL: u32 = 1 << 11;
pub(super) const COMPRESS: u32 = 1 << 5;
pub(super) const PROTOCOL_41: u32 = 1 << 9;
pub(super) const ZSTD: u32 = 1 << 26;
pub(super) const ATTRIBUTES: u32 = 1 << 27;
/// Longest packet; a longer one continues in the next.
pub(super) const LARGE: u32 = 0xff_ffff;
/// A packet's head: three bytes of length, one of sequence.
pub(super) const HEAD: usize = 4;
/// `SSLRequest`: the first fields of the client's answer to the greeting.
pub(super) const SSL_REQUEST: usize = 32;

/// A length-encoded integer.
pub(super) fn number(reader: &mut ByteReader<'_>) -> Option<u64> {
    Some(match reader.u8()? {
        small @ 0..=250 => u64::from(small),
        0xfc => u64::from(reader.u16_le()?),
        0xfd => u64::from(reader.u24_le()?),
        0xfe => u64::from(reader.u32_le()?) | u64::from(reader.u32_le()?) << 32,
        _ => return None,
    })
}
