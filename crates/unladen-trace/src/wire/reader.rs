//! The principal type is [`ByteReader`]: reads numbers and names from the beginning of bytes.

#[derive(Debug, Clone, Copy)]
pub(super) struct ByteReader<'a>(pub(super) &'a [u8]);

impl<'a> ByteReader<'a> {
    pub(super) fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    /// Big-endian.
    pub(super) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_be_bytes)
    }

    /// Big-endian.
    pub(super) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_be_bytes)
    }

    pub(super) fn u16_le(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn u24_le(&mut self) -> Option<u32> {
        self.array().map(|[a, b, c]| u32::from_le_bytes([a, b, c, 0]))
    }

    pub(super) fn u32_le(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    /// Up to a NUL, which is consumed too.
    pub(super) fn until_nul(&mut self) -> Option<&'a [u8]> {
        let end = memchr::memchr(0, self.0)?;
        let text = self.take(end)?;
        self.take(1)?;
        Some(text)
    }
}

/// At most `most` bytes as text, without control characters.
pub(super) fn printable(bytes: &[u8], most: usize) -> String {
    let known = bytes.get(..most).unwrap_or(bytes);
    let mut text: String =
        String::from_utf8_lossy(known).chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if known.len() < bytes.len() {
        while text.ends_with('\u{fffd}') {
            text.pop();
        }
        text.push('…');
    }
    text
}

/// Bytes kept of a message; the rest is counted.
pub(super) const MAX_KEPT: usize = 16 << 10;

/// A message's content as far as a tracer provides it.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// Up to [`MAX_KEPT`] bytes.
    pub(super) bytes: Vec<u8>,
    pub(super) length: u64,
    pub(super) left: u64,
    /// Part of it was unseen; what follows is not kept.
    holed: bool,
}

impl Kept {
    pub(super) fn announce(&mut self, length: u64) {
        self.length += length;
        self.left += length;
    }

    pub(super) fn read(&mut self, reader: &mut ByteReader<'_>, is_of_interest: bool) {
        let take = usize::try_from(self.left).unwrap_or(usize::MAX).min(reader.0.len());
        let bytes = reader.take(take).unwrap_or_default();
        self.left -= bytes.len() as u64;
        if !self.holed && is_of_interest {
            let room = MAX_KEPT - self.bytes.len().min(MAX_KEPT);
            self.bytes.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
        }
    }

    /// Skips unseen bytes; returns how many were its own.
    pub(super) fn skip(&mut self, hole: u64) -> u64 {
        let own = hole.min(self.left);
        self.left -= own;
        self.holed |= own > 0;
        own
    }

    pub(super) fn is_truncated(&self) -> bool {
        (self.bytes.len() as u64) < self.length
    }
}
