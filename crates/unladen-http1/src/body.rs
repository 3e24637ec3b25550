//! The principal type is [`Decoder`]: finds the pieces of a body, and its end.

use crate::bytes::{is_text_byte, is_token_byte};
use crate::lines::Lines;
use crate::list::trim;
use crate::{Fault, Field, Fields, Name};

/// The longest line before a chunk, its CRLF included.
const MAX_LINE: usize = 4 * 1024;
/// The digits of the largest size.
const MAX_DIGITS: usize = 16;
/// The bytes of all trailers, the empty line included.
const MAX_TRAILERS: usize = 16 * 1024;
const MAX_TRAILER_FIELDS: usize = 64;

/// How long a body is (RFC 9112, section 6.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// No body.
    None,
    /// This many bytes.
    Exact(u64),
    /// As its chunks say.
    Chunked,
    /// Until the connection ends: of responses alone.
    UntilClose,
}

/// What the next bytes of a body are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Framing: so many bytes to pass over. None were data.
    Skip(usize),
    /// So many bytes of the body, from the start of what was given.
    Data(usize),
    /// More bytes are needed to go on; none were consumed.
    More,
    /// The body's end, after so many bytes more of framing (the last chunk's and the trailers' end).
    End(usize),
}

/// Follows a body through whatever pieces its bytes arrive in. Trailers are kept: [`Decoder::trailers`].
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
    // so much of a chunk is to come, never 0
    Data(u64),
    // before the CRLF after a chunk
    DataEnd,
    Trailers,
    Broken(Fault),
}

impl Decoder {
    /// For a body of this length. Memory of the trailers is kept.
    pub fn start(&mut self, length: Length) {
        self.trailers.clear();
        self.state = match length {
            Length::None | Length::Exact(0) => State::Done,
            Length::Exact(rest) => State::Exact(rest),
            Length::Chunked => State::Size,
            Length::UntilClose => State::UntilClose,
        };
    }

    /// What the next bytes are. Call again with the rest, without the bytes that the last step named, until
    /// [`Step::End`]. A body of [`Length::None`] and of `Exact(0)` ends at once with `End(0)`; one of `UntilClose`
    /// never does.
    ///
    /// Chunk extensions are dropped; the size of a chunk's line and all trailers together are bounded (4 KiB, 16 KiB in
    /// 64 fields). A buffer of 16 KiB is large enough for [`Step::More`] to find room in it. After a fault it is the
    /// answer to every call.
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

    /// Whether [`Step::End`] has been seen, or the body had none to begin with.
    pub fn is_done(&self) -> bool {
        matches!(self.state, State::Done)
    }

    /// After the end: what came as trailers.
    pub fn trailers(&self) -> &Fields {
        &self.trailers
    }

    /// Keeps the trailers of which this is true.
    pub fn retain_trailers(&mut self, keep: impl FnMut(Field<'_>) -> bool) {
        if !self.trailers.is_empty() {
            self.trailers.retain(keep);
        }
    }

    // As much of the framing between data as is whole.
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

// The length of CRLF, if it is whole.
fn crlf(bytes: &[u8]) -> Result<Option<usize>, Fault> {
    match bytes {
        [b'\r', b'\n', ..] => Ok(Some(2)),
        [] | [b'\r'] => Ok(None),
        _ => Err(Fault::Chunk),
    }
}

// The length of a chunk's line and the size in it, if the line is whole. White space before the extension is refused,
// though RFC 9112, section 7.1.1, has it for readers to pass over: what stands there is read in more than one way.
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
        // looked at from its start each time, which the bound keeps short
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

// What says how a message is read, where it goes and who sent it must be known before its body (RFC 9110, section
// 6.5.1); programs that put trailers among the fields would believe them.
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

#[cfg(test)]
mod tests;
