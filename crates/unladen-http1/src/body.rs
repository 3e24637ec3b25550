//! The principal type is [`Decoder`]: finds the pieces of a body, and its end.

use crate::{Fault, Fields};

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
    // `None`, `Exact(rest)`, `UntilClose`, or the state of the chunks
    trailers: Fields,
}

// === impl Decoder ===

impl Decoder {
    /// For a body of this length. Memory of the trailers is kept.
    pub fn start(&mut self, length: Length) {
        todo!("{length:?}")
    }

    /// What the next bytes are. Call again with the rest, without the bytes that the last step named, until [`Step::End`].
    /// A body of [`Length::None`] and of `Exact(0)` ends at once with `End(0)`; one of `UntilClose` never does.
    ///
    /// Chunk extensions are dropped; the size of a chunk's line and all trailers together are bounded (4 KiB, 16 KiB).
    pub fn step(&mut self, bytes: &[u8]) -> Result<Step, Fault> {
        todo!("{}", bytes.len())
    }

    /// Whether [`Step::End`] has been seen, or the body had none to begin with.
    pub fn is_done(&self) -> bool {
        todo!()
    }

    /// After the end: what came as trailers.
    pub fn trailers(&self) -> &Fields {
        &self.trailers
    }
}
