//! The principal types are [`Decoder`], which finds an application's output in the bytes of its connection; and
//! [`Stderr`]: what it wrote to its standard error.

use crate::record::{END_REQUEST, Fault, HEADER, Header, Refusal, STDERR, STDOUT};

/// Finds an application's output in the bytes of its connection, however they are split. The contents of several
/// records are moved together in place, so that they can be sent on in one piece.
#[derive(Clone, Debug)]
pub struct Decoder {
    request: u16,
    state: State,
    has_output_ended: bool,
    refusal: Option<Refusal>,
}

#[derive(Clone, Copy, Debug)]
enum State {
    Header,
    /// Remaining bytes of a content and of padding.
    Content {
        of: Content,
        left: usize,
        padding: usize,
    },
    /// The eight bytes of the request's end, and then padding.
    End {
        padding: usize,
    },
    Over,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    Output,
    Errors,
    /// Padding, and records of no request.
    Nothing,
}

/// Position of output in the input: `ready` bytes from `start` on, and then `rest` bytes of an incomplete record, or
/// one of no request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unwrapped {
    /// Bytes before it, no longer needed.
    pub start: usize,
    pub ready: usize,
    /// Bytes after it, to be passed in again with the next input.
    pub rest: usize,
}

impl Decoder {
    /// For the answer to the request of this number on its connection, 1 to 65,535.
    pub fn new(request: u16) -> Self {
        Self { request, state: State::Header, has_output_ended: false, refusal: None }
    }

    /// Whether the request is over.
    pub fn has_ended(&self) -> bool {
        matches!(self.state, State::Over)
    }

    /// Why the application refused the request, if it did.
    pub fn refusal(&self) -> Option<Refusal> {
        self.refusal
    }

    /// Decodes input: the first `ready` of `bytes` are earlier output that was not used yet, the rest is new. Records
    /// of no request (number 0) are skipped, whatever their type (FastCGI 1.0, section 4).
    ///
    /// # Errors
    /// If the input is no FastCGI; the bytes are then meaningless.
    pub fn unwrap(&mut self, bytes: &mut [u8], ready: usize, stderr: &mut Stderr) -> Result<Unwrapped, Fault> {
        let ready = ready.min(bytes.len());
        let (mut start, mut end, mut at) = (0, ready, ready);
        loop {
            let came = bytes.get(at..).unwrap_or_default();
            match &mut self.state {
                State::Header => {
                    let Some(header) = Header::read(came)? else { break };
                    at += HEADER;
                    self.state = self.begin(header)?;
                }
                State::Content { of, left, padding } => {
                    let count = (*left).min(came.len());
                    match of {
                        Content::Output if end == start && count > 0 => (start, end) = (at, at + count),
                        Content::Output if count > 0 => {
                            bytes.copy_within(at..at + count, end);
                            end += count;
                        }
                        Content::Errors => stderr.push(came.get(..count).unwrap_or_default()),
                        Content::Output | Content::Nothing => (),
                    }
                    at += count;
                    *left -= count;
                    if *left > 0 {
                        break;
                    }
                    self.state = match *padding {
                        0 => State::Header,
                        left => State::Content { of: Content::Nothing, left, padding: 0 },
                    };
                }
                State::End { padding } => {
                    let length = 8 + *padding;
                    let Some(&[_, _, _, _, status, ..]) = came.get(..length) else { break };
                    self.refusal = match status {
                        0 => None,
                        1 => Some(Refusal::Multiplexed),
                        2 => Some(Refusal::Overloaded),
                        3 => Some(Refusal::Role),
                        other => return Err(Fault::Status(other)),
                    };
                    at += length;
                    self.state = State::Over;
                }
                State::Over => break,
            }
        }
        if end == start {
            (start, end) = (at, at);
        } else if at != end {
            bytes.copy_within(at.., end);
        }
        Ok(Unwrapped { start, ready: end - start, rest: bytes.len() - at })
    }

    fn begin(&mut self, header: Header) -> Result<State, Fault> {
        let Header { kind, request, length, padding } = header;
        let (left, padding) = (usize::from(length), usize::from(padding));
        if request == 0 {
            return Ok(State::Content { of: Content::Nothing, left: left + padding, padding: 0 });
        }
        if request != self.request {
            return Err(Fault::Request { came: request, asked: self.request });
        }
        let of = match kind {
            STDOUT if length == 0 => {
                self.has_output_ended = true;
                Content::Nothing
            }
            STDOUT if self.has_output_ended => return Err(Fault::AfterEnd),
            STDOUT => Content::Output,
            STDERR => Content::Errors,
            END_REQUEST if length == 8 => return Ok(State::End { padding }),
            END_REQUEST => return Err(Fault::EndLength(length)),
            other => return Err(Fault::Kind(other)),
        };
        Ok(State::Content { of, left, padding })
    }
}

/// Most bytes that are kept: a few messages. PHP's have some hundred bytes each, with a stack trace a few thousand.
const MOST: usize = 2048;

/// The beginning of an application's standard error for one request. Empty, it takes no memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stderr {
    bytes: Vec<u8>,
    left_out: u64,
}

impl Stderr {
    pub(crate) fn push(&mut self, content: &[u8]) {
        let taken = content.len().min(MOST - self.bytes.len());
        self.bytes.extend_from_slice(&content[..taken]);
        self.left_out += (content.len() - taken) as u64;
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.left_out = 0;
    }

    /// The beginning, as received.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether it contains these words.
    pub fn says(&self, words: &[u8]) -> bool {
        memchr::memmem::find(&self.bytes, words).is_some()
    }

    /// One line without control characters for a terminal.
    pub fn line(&self) -> String {
        let text = String::from_utf8_lossy(self.bytes.trim_ascii());
        let mut line = String::with_capacity(text.len());
        for c in text.chars() {
            let c = if c.is_control() || c == '\u{2028}' || c == '\u{2029}' { ' ' } else { c };
            if c != ' ' || !line.ends_with(' ') {
                line.push(c);
            }
        }
        line.truncate(line.trim_end().len());
        if self.left_out > 0 {
            line.push_str(&format!(" … ({} bytes more)", self.left_out));
        }
        line
    }
}

#[cfg(test)]
mod tests;
