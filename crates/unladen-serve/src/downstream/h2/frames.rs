//! The principal type is [`Frames`]: follows HTTP/2 frames in one direction, as far as needed to tell whether a head is
//! under way and how many body bytes have passed. `h2` parses the content.

/// Length of a frame's own head (RFC 9113, section 4.1).
const HEAD: usize = 9;
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const CONTINUATION: u8 = 9;
const END_HEADERS: u8 = 4;

#[derive(Debug)]
pub(crate) struct Frames {
    head: [u8; HEAD],
    filled: usize,
    /// Bytes of the frame still to come; before the first frame, of the preface.
    left: usize,
    kind: u8,
    /// Heads begun; the first stands for everything up to the end of the first frame.
    begun: u64,
    is_in_head: bool,
    /// Body bytes that have passed, with their padding.
    pub(crate) bodies: u64,
    pub(super) frames: u64,
}

impl Frames {
    /// Frames after a preface of this length. Until the first frame is over, all counts as a head.
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

    /// Number of the head under way, if any.
    pub(crate) fn head(&self) -> Option<u64> {
        self.is_in_head.then_some(self.begun)
    }

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
        // No other frames may come between those of a head (RFC 9113, section 6.10): `h2` ends such a connection.
        let goes_on = matches!(self.kind, HEADERS | CONTINUATION) && self.head[4] & END_HEADERS == 0;
        self.is_in_head = goes_on;
    }
}

#[cfg(test)]
mod tests;
