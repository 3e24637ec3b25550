//! The principal type is [`Decoder`]: finds a body's pieces and its end. [`chunk_head`] begins a chunk that is written.

use crate::bytes::{is_text_byte, is_token_byte, trim};
use crate::lines::Lines;
use crate::{Fault, Field, Fields, Name};

/// Longest line before a chunk, including CRLF.
const MAX_LINE: usize = 4 * 1024;
/// Digits of the largest size.
const MAX_DIGITS: usize = 16;
/// Bytes of all trailers, including the empty line.
const MAX_TRAILERS: usize = 16 * 1024;
const MAX_TRAILER_FIELDS: usize = 64;

/// A body's length (RFC 9112, section 6.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    None,
    Exact(u64),
    /// By its chunks.
    Chunked,
    /// Until the connection ends: responses only.
    UntilClose,
}

/// The meaning of a body's next bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// This many bytes of framing, to be skipped.
    Skip(usize),
    /// This many bytes of the body, from the start of the input.
    Data(usize),
    /// More bytes are needed; none were consumed.
    More,
    /// The body's end, after this many bytes of framing (the end of the last chunk and the trailers).
    End(usize),
}

/// Decodes a body in pieces of any size. Trailers are kept: [`Decoder::trailers`].
#[derive(Debug, Default)]
pub struct Decoder {
    state: State,
    trailers: Fields,
}

#[derive(Clone, Copy, Debug, Default)]
enum State {
    #[default]
    Done,
    Exact(u64),
    UntilClose,
    // before the line with a chunk's size
    Size,
    // remaining bytes of a chunk, never 0
    Data(u64),
    // before the CRLF after a chunk
    DataEnd,
    Trailers,
    Broken(Fault),
}

impl Decoder {
    /// Starts a body of this length. The trailers' memory is reused.
    pub fn start(&mut self, length: Length) {
        self.trailers.clear();
        self.state = match length {
            Length::None | Length::Exact(0) => State::Done,
            Length::Exact(rest) => State::Exact(rest),
            Length::Chunked => State::Size,
            Length::UntilClose => State::UntilClose,
        };
    }

    /// The meaning of the next bytes. Call again with the input behind the last step's bytes, until [`Step::End`]. A
    /// body of [`Length::None`] and of `Exact(0)` ends at once with `End(0)`; one of `UntilClose` never does.
    ///
    /// Chunk extensions are dropped; a chunk's line and all trailers are bounded (4 KiB; 16 KiB and 64 fields). In a
    /// buffer of 16 KiB, [`Step::More`] always finds room. After a fault, every call returns it.
    pub fn step(&mut self, bytes: &[u8]) -> Result<Step, Fault> {
        match self.state {
            State::Done => Ok(Step::End(0)),
            State::Exact(0) => {
                self.state = State::Done;
                Ok(Step::End(0))
            }
            State::Broken(fault) => Err(fault),
            _ if bytes.is_empty() => Ok(Step::More),
            State::UntilClose => Ok(Step::Data(bytes.len())),
            State::Exact(rest) => {
                let (data, rest) = take(rest, bytes.len());
                self.state = State::Exact(rest);
                Ok(Step::Data(data))
            }
            State::Data(rest) => {
                let (data, rest) = take(rest, bytes.len());
                self.state = if rest == 0 { State::DataEnd } else { State::Data(rest) };
                Ok(Step::Data(data))
            }
            State::Size | State::DataEnd | State::Trailers => self.framing(bytes).inspect_err(|fault| {
                self.state = State::Broken(*fault);
            }),
        }
    }

    /// Whether [`Step::End`] was seen, or there was no body.
    pub fn is_done(&self) -> bool {
        matches!(self.state, State::Done)
    }

    /// The trailers, after the end.
    pub fn trailers(&self) -> &Fields {
        &self.trailers
    }

    /// Keeps the matching trailers.
    pub fn retain_trailers(&mut self, keep: impl FnMut(Field<'_>) -> bool) {
        if !self.trailers.is_empty() {
            self.trailers.retain(keep);
        }
    }

    // Decodes as much framing between data as is complete.
    fn framing(&mut self, bytes: &[u8]) -> Result<Step, Fault> {
        let mut at = 0;
        loop {
            let rest = bytes.get(at..).unwrap_or_default();
            let whole = match self.state {
                State::DataEnd => crlf(rest)?.map(|length| (length, State::Size)),
                State::Size => size_line(rest)?
                    .map(|(length, size)| (length, if size == 0 { State::Trailers } else { State::Data(size) })),
                State::Trailers => self.read_trailers(rest)?.map(|length| (length, State::Done)),
                State::Done => return Ok(Step::End(at)),
                State::Exact(_) | State::UntilClose | State::Data(_) | State::Broken(_) => return Ok(Step::Skip(at)),
            };
            match whole {
                Some((length, next)) => {
                    at += length;
                    self.state = next;
                }
                None if at == 0 => return Ok(Step::More),
                None => return Ok(Step::Skip(at)),
            }
        }
    }

    fn read_trailers(&mut self, bytes: &[u8]) -> Result<Option<usize>, Fault> {
        let mut lines = Lines::new(bytes, MAX_TRAILERS);
        let Some(block) = lines.block(MAX_TRAILER_FIELDS).map_err(|_| Fault::Trailers)? else { return Ok(None) };
        let fields = &mut self.trailers;
        fields.begin(block.bytes(), block.lines());
        let taken = block.fields(|name, value| {
            let id = Name::of(name);
            if is_forbidden(id, name) {
                return Err(Fault::Trailers);
            }
            fields.push_part(id, block.bytes(), name, value);
            Ok(())
        });
        match taken {
            Ok(()) => Ok(Some(lines.position())),
            Err(_) => Err(Fault::Trailers),
        }
    }
}

fn take(rest: u64, bytes: usize) -> (usize, u64) {
    let data = usize::try_from(rest).unwrap_or(usize::MAX).min(bytes);
    (data, rest - data as u64)
}

// Length of CRLF, if complete.
fn crlf(bytes: &[u8]) -> Result<Option<usize>, Fault> {
    match bytes {
        [b'\r', b'\n', ..] => Ok(Some(2)),
        [] | [b'\r'] => Ok(None),
        _ => Err(Fault::Chunk),
    }
}

// Length of a chunk's line and the size in it, if complete. White space before the extension is refused, though RFC
// 9112, section 7.1.1, has readers skip it: readers differ on it.
fn size_line(bytes: &[u8]) -> Result<Option<(usize, u64)>, Fault> {
    let mut size = 0_u64;
    let mut at = 0;
    for byte in bytes {
        let Some(digit) = char::from(*byte).to_digit(16) else { break };
        if at == MAX_DIGITS {
            return Err(Fault::Chunk);
        }
        size = size << 4 | u64::from(digit);
        at += 1;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    if rest.is_empty() {
        return Ok(None);
    }
    if at == 0 {
        return Err(Fault::Chunk);
    }
    if rest.first() == Some(&b';') {
        // scanned from its start each time, which the bound keeps cheap
        let room = rest.get(..MAX_LINE - at).unwrap_or(rest);
        let end = room.iter().position(|byte| !is_text_byte(*byte));
        let extension = trim(room.get(1..end.unwrap_or(room.len())).unwrap_or_default());
        let is_named = extension.first().map(|byte| is_token_byte(*byte));
        match (end, is_named) {
            (Some(end), Some(true)) => at += end,
            (None, Some(true) | None) if room.len() < MAX_LINE - at => return Ok(None),
            _ => return Err(Fault::Chunk),
        }
    }
    match crlf(bytes.get(at..).unwrap_or_default())? {
        Some(length) if at + length <= MAX_LINE => Ok(Some((at + length, size))),
        Some(_) => Err(Fault::Chunk),
        None => Ok(None),
    }
}

// Framing, routing and identity must be known before the body (RFC 9110, section 6.5.1); programs that merge trailers
// into the fields would believe them.
pub(crate) fn is_forbidden(id: Name, name: &[u8]) -> bool {
    const OTHERS: [&[u8]; 7] = [
        b"authorization",
        b"proxy-authorization",
        b"content-encoding",
        b"content-range",
        b"content-type",
        b"cookie",
        b"set-cookie",
    ];
    match id {
        Name::Via | Name::XRequestId | Name::Traceparent | Name::Date => false,
        Name::Other => Name::is_lookalike(name) || OTHERS.iter().any(|other| name.eq_ignore_ascii_case(other)),
        _ => true,
    }
}

/// Follows each chunk's data.
pub const CHUNK_END: &[u8] = b"\r\n";
/// Ends a body without trailers.
pub const LAST_CHUNK: &[u8] = b"0\r\n\r\n";

/// The line before a chunk of `length` bytes (hexadecimal, CRLF), and its length.
///
/// A `length` of 0 gives the line that ends the body: an empty chunk cannot be sent.
pub fn chunk_head(length: usize) -> ([u8; 18], usize) {
    let mut line = [0; 18];
    let digits = (length.max(1).ilog2() / 4 + 1) as usize;
    let mut rest = length;
    for place in line.iter_mut().take(digits).rev() {
        *place = b"0123456789abcdef"[rest % 16];
        rest /= 16;
    }
    line[digits] = b'\r';
    line[digits + 1] = b'\n';
    (line, digits + 2)
}

#[cfg(test)]
mod tests;
