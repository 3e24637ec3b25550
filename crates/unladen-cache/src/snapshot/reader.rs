//! The principal type is [`Reader`]: takes numbers and lengths from bytes, within their bounds.

use std::time::Duration;

use super::SnapshotError;
use crate::text::LONGEST;

#[derive(Debug)]
pub(super) struct Reader<'a> {
    pub(super) rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], SnapshotError> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(SnapshotError::Short)?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], SnapshotError> {
        self.take(N).map(|bytes| array(bytes, 0))
    }

    pub(super) fn u16(&mut self) -> Result<u16, SnapshotError> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, SnapshotError> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, SnapshotError> {
        self.array().map(u64::from_le_bytes)
    }

    pub(super) fn i64(&mut self) -> Result<i64, SnapshotError> {
        self.array().map(i64::from_le_bytes)
    }

    /// A number of items, each of which takes at least `least` of the remaining bytes.
    pub(super) fn count(&mut self, least: usize) -> Result<usize, SnapshotError> {
        let count = self.u32()? as usize;
        if count.checked_mul(least).is_none_or(|bytes| bytes > self.rest.len()) {
            return Err(SnapshotError::Short);
        }
        Ok(count)
    }

    /// Bytes with a length prefix.
    pub(super) fn sized(&mut self) -> Result<&'a [u8], SnapshotError> {
        let length = self.u32()? as usize;
        self.take(length)
    }

    /// At most [`LONGEST`](crate::text::LONGEST): sums stay in range.
    pub(super) fn duration(&mut self) -> Result<Duration, SnapshotError> {
        let (seconds, nanos) = (self.u64()?, self.u32()?);
        let duration = Duration::from_secs(seconds).saturating_add(Duration::from_nanos(nanos.into()));
        if nanos >= 1_000_000_000 || duration > LONGEST {
            return Err(SnapshotError::Entry("duration"));
        }
        Ok(duration)
    }
}

/// Bytes from a position; zeros beyond the end.
pub(super) fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut array = [0; N];
    for (to, from) in array.iter_mut().zip(bytes.iter().skip(at)) {
        *to = *from;
    }
    array
}

pub(super) fn write_sized(out: &mut Vec<u8>, bytes: &[u8]) {
    // A response of 4 GiB does not get this far.
    out.extend_from_slice(&u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_le_bytes());
    out.extend_from_slice(bytes);
}

pub(super) fn write_duration(out: &mut Vec<u8>, duration: Duration) {
    out.extend_from_slice(&duration.as_secs().to_le_bytes());
    out.extend_from_slice(&duration.subsec_nanos().to_le_bytes());
}
