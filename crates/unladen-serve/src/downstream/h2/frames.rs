//! The principal type is [`Frames`]: follows the frames of HTTP/2 on one way of a connection, as far as it takes to
//! tell whether a head is under way, and how much of bodies has passed. What they say is `h2`'s to read.

/// How long a frame's own head is (RFC 9113, section 4.1).
const HEAD: usize = 9;
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const CONTINUATION: u8 = 9;
const END_HEADERS: u8 = 4;

/// Follows frames as they pass, in whatever pieces.
#[derive(Debug)]
pub(crate) struct Frames {
    head: [u8; HEAD],
    filled: usize,
    /// Of the frame, what is still to come. Before the first: the preface.
    left: usize,
    kind: u8,
    /// Heads that have begun; the first is all that goes before the first frame's end.
    begun: u64,
    is_in_head: bool,
    /// Bytes of bodies that have passed, with their padding.
    pub(crate) bodies: u64,
    /// Frames that have begun.
    pub(super) frames: u64,
}

impl Frames {
    /// Frames that follow so many bytes of something else. Until the first frame is over, that counts as a head.
    pub(crate) fn after(preface: usize) -> Self {
        Self {
            head: [0; HEAD],
            filled: 0,
            left: preface,
            kind: u8::MAX,
            begun: 1,
            is_in_head: true,
            bodies: 0,
            frames: 0,
        }
    }

    /// The number of the head that is under way, if one is.
    pub(crate) fn head(&self) -> Option<u64> {
        self.is_in_head.then_some(self.begun)
    }

    /// Some more has passed.
    pub(crate) fn pass(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            if self.left > 0 {
                let count = self.left.min(bytes.len());
                if self.kind == DATA {
                    self.bodies += count as u64;
                }
                self.left -= count;
                bytes = &bytes[count..];
                if self.left == 0 && self.kind != u8::MAX {
                    self.over();
                }
                continue;
            }
            let count = (HEAD - self.filled).min(bytes.len());
            self.head[self.filled..self.filled + count].copy_from_slice(&bytes[..count]);
            self.filled += count;
            bytes = &bytes[count..];
            if self.filled == HEAD {
                self.begins();
            }
        }
    }

    fn begins(&mut self) {
        self.filled = 0;
        self.frames += 1;
        self.left = u32::from_be_bytes([0, self.head[0], self.head[1], self.head[2]]) as usize;
        self.kind = self.head[3];
        if self.kind == HEADERS && !self.is_in_head {
            self.begun += 1;
            self.is_in_head = true;
        }
        if self.left == 0 {
            self.over();
        }
    }

    fn over(&mut self) {
        // Between the frames of a head there can be no others (RFC 9113, section 6.10): `h2` ends such a connection.
        let goes_on = matches!(self.kind, HEADERS | CONTINUATION) && self.head[4] & END_HEADERS == 0;
        self.is_in_head = goes_on;
    }
}

#[cfg(test)]
mod tests;
