//! [`is_startup`]: the first message of a connection.

use crate::wire::reader::ByteReader;

/// Codes in place of a protocol version, in the first message of a connection.
pub(super) const CANCEL: u32 = 80_877_102;
pub(super) const SSL: u32 = 80_877_103;
pub(super) const GSSENC: u32 = 80_877_104;
/// The protocol's major version, in the upper half of the code.
const VERSION: u32 = 3;
/// Longest first message accepted by the server (`MAX_STARTUP_PACKET_LENGTH`).
const MAX_STARTUP: u32 = 10_000;

pub(super) fn is_startup(first: &[u8]) -> bool {
    let mut reader = ByteReader(first);
    let (Some(length), Some(code)) = (reader.u32(), reader.u32()) else { return false };
    match code {
        SSL | GSSENC => length == 8,
        CANCEL => (16..=MAX_STARTUP).contains(&length),
        code => code >> 16 == VERSION && (9..=MAX_STARTUP).contains(&length),
    }
}
