//! The principal type is [`SnapshotHeader`]: identifies a snapshot.

use xxhash_rust::xxh3::xxh3_64;

use super::SnapshotError;
use super::format::FORMAT;
use super::reader::array;
use crate::Time;

/// Identifies a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SnapshotHeader {
    /// Fingerprint of all rules of storage and keys: under others, responses mean something else.
    pub fingerprint: u128,
    pub written: Time,
    /// Nothing was served after `written`: it misses no purge.
    pub is_last: bool,
}

/// Bytes of a header.
pub const HEADER_LENGTH: usize = 48;

const MAGIC: [u8; 8] = *b"unladen\x1a";

impl SnapshotHeader {
    /// The header as bytes.
    pub fn to_bytes(&self) -> [u8; HEADER_LENGTH] {
        let mut bytes = [0; HEADER_LENGTH];
        let parts: [&[u8]; 5] = [
            &MAGIC,
            &FORMAT.to_le_bytes(),
            &u32::from(self.is_last).to_le_bytes(),
            &self.fingerprint.to_le_bytes(),
            &self.written.0.to_le_bytes(),
        ];
        for (to, from) in bytes.iter_mut().zip(parts.into_iter().flatten()) {
            *to = *from;
        }
        let checksum = xxh3_64(&bytes[..HEADER_LENGTH - 8]);
        bytes[HEADER_LENGTH - 8..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads a header.
    ///
    /// # Errors
    /// If it is none, of another version, or torn.
    pub fn read(bytes: &[u8; HEADER_LENGTH]) -> Result<Self, SnapshotError> {
        if !bytes.starts_with(&MAGIC) {
            return Err(SnapshotError::NoSnapshot);
        }
        let (format, is_last) = (u32::from_le_bytes(array(bytes, 8)), u32::from_le_bytes(array(bytes, 12)));
        if format != FORMAT {
            return Err(SnapshotError::Format(format));
        }
        let checksum = u64::from_le_bytes(array(bytes, HEADER_LENGTH - 8));
        if xxh3_64(&bytes[..HEADER_LENGTH - 8]) != checksum || is_last > 1 {
            return Err(SnapshotError::Checksum);
        }
        let fingerprint = u128::from_le_bytes(array(bytes, 16));
        Ok(Self { fingerprint, written: Time(i64::from_le_bytes(array(bytes, 32))), is_last: is_last == 1 })
    }
}
