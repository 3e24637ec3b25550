//! Elements of packets.

use crate::wire::reader::ByteReader;

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
