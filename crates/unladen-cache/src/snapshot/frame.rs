//! The principal type is [`FrameHead`]: the head of a snapshot's frame.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::SnapshotError;
use super::reader::array;

/// The head of a snapshot's frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameHead {
    /// [`ENTRY`], [`END`], or one of a protocol that carries snapshots, from 16 on.
    pub kind: u32,
    pub length: u32,
    checksum: u64,
}

/// Bytes of a [`FrameHead`].
pub const FRAME_LENGTH: usize = 16;
/// The kind of a frame with a response.
pub const ENTRY: u32 = 1;
/// The kind of the last frame.
pub const END: u32 = 2;

impl FrameHead {
    /// The head of a payload.
    pub fn of(kind: u32, payload: &[u8]) -> Option<Self> {
        let length = u32::try_from(payload.len()).ok()?;
        Some(Self { kind, length, checksum: checksum(kind, length, payload) })
    }

    /// Reads a head.
    pub fn read(bytes: &[u8; FRAME_LENGTH]) -> Self {
        let (kind, length) = (u32::from_le_bytes(array(bytes, 0)), u32::from_le_bytes(array(bytes, 4)));
        Self { kind, length, checksum: u64::from_le_bytes(array(bytes, 8)) }
    }

    /// The head as bytes.
    pub fn to_bytes(self) -> [u8; FRAME_LENGTH] {
        let mut bytes = [0; FRAME_LENGTH];
        bytes[..4].copy_from_slice(&self.kind.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.length.to_le_bytes());
        bytes[8..].copy_from_slice(&self.checksum.to_le_bytes());
        bytes
    }

    /// Checks the payload.
    ///
    /// # Errors
    /// If its length or checksum differs.
    pub fn check(&self, payload: &[u8]) -> Result<(), SnapshotError> {
        if payload.len() != self.length as usize {
            return Err(SnapshotError::Short);
        }
        if checksum(self.kind, self.length, payload) != self.checksum {
            return Err(SnapshotError::Checksum);
        }
        Ok(())
    }
}

/// Appends the last frame, with the number of entries.
pub fn write_end(count: u64, out: &mut Vec<u8>) {
    let payload = count.to_le_bytes();
    if let Some(head) = FrameHead::of(END, &payload) {
        out.extend_from_slice(&head.to_bytes());
        out.extend_from_slice(&payload);
    }
}

/// The number of entries, by the last frame.
///
/// # Errors
/// If the payload has none.
pub fn read_end(payload: &[u8]) -> Result<u64, SnapshotError> {
    payload.try_into().map(u64::from_le_bytes).map_err(|_| SnapshotError::End)
}

/// Covers kind and length, too: they are its seed.
fn checksum(kind: u32, length: u32, payload: &[u8]) -> u64 {
    xxh3_64_with_seed(payload, u64::from(kind) << 32 | u64::from(length))
}
