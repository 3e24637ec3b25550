//! The principal types are [`FrameReader`] and [`FrameWriter`]: length-prefixed bytes.
//!
//! A frame is the length of its body, 4 bytes, least significant first, and the body.

use std::io::{self, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Maximum body of a frame, bytes: senders split longer content.
pub const MAX_FRAME: usize = 1 << 20;

const LENGTH: usize = 4;

/// Why a frame could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    #[error("the pipe ended")]
    End,
    #[error("the pipe ended in the middle of a frame")]
    Cut,
    #[error("a frame of {0} bytes, but at most {MAX_FRAME} are allowed")]
    TooLong(u64),
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// Reads frames.
#[derive(Debug)]
pub struct FrameReader<R> {
    from: R,
}

/// Writes frames.
#[derive(Debug)]
pub struct FrameWriter<W> {
    to: W,
}

impl<R: Read> FrameReader<R> {
    /// Reads frames from this pipe.
    pub fn new(from: R) -> Self {
        Self { from }
    }

    /// The body of the next frame. Memory grows only with the bytes that have come. Fails with [`FrameError::End`] at a
    /// regular end of the pipe.
    pub fn read(&mut self) -> Result<Vec<u8>, FrameError> {
        let mut length = [0; LENGTH];
        let mut read = 0;
        while read < LENGTH {
            match self.from.read(&mut length[read..]) {
                Ok(0) if read == 0 => return Err(FrameError::End),
                Ok(0) => return Err(FrameError::Cut),
                Ok(more) => read += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        let length = u32::from_le_bytes(length) as usize;
        if length > MAX_FRAME {
            return Err(FrameError::TooLong(length as u64));
        }
        let mut body = Vec::new();
        self.from.by_ref().take(length as u64).read_to_end(&mut body)?;
        if body.len() < length { Err(FrameError::Cut) } else { Ok(body) }
    }
}

impl<W: Write> FrameWriter<W> {
    /// Writes frames to this pipe.
    pub fn new(to: W) -> Self {
        Self { to }
    }

    /// Writes a frame, in one write if the pipe takes it. Fails if the body is too long, or nobody reads any more.
    pub fn write(&mut self, body: &[u8]) -> Result<(), FrameError> {
        if body.len() > MAX_FRAME {
            return Err(FrameError::TooLong(body.len() as u64));
        }
        let mut frame = Vec::with_capacity(LENGTH + body.len());
        frame.extend_from_slice(&(body.len() as u32).to_le_bytes());
        frame.extend_from_slice(body);
        self.to.write_all(&frame)?;
        self.to.flush()?;
        Ok(())
    }
}

/// An invalid message, or one too long for a frame.
#[derive(Debug, thiserror::Error)]
pub enum CodecError {
    #[error("{0}")]
    Malformed(#[from] postcard::Error),
    #[error("{0} bytes after the end of a message")]
    Rest(usize),
    #[error("a message of {0} bytes, but a frame holds at most {MAX_FRAME}")]
    TooLong(usize),
}

/// Encodes a message as the body of a frame. Fails if it were longer than a frame.
pub fn encode<M: Serialize>(message: &M) -> Result<Vec<u8>, CodecError> {
    let body = postcard::to_stdvec(message)?;
    if body.len() > MAX_FRAME { Err(CodecError::TooLong(body.len())) } else { Ok(body) }
}

/// Decodes the body of a frame. Fails if it is no message, or has trailing bytes.
pub fn decode<M: DeserializeOwned>(body: &[u8]) -> Result<M, CodecError> {
    let (message, rest) = postcard::take_from_bytes(body)?;
    if rest.is_empty() { Ok(message) } else { Err(CodecError::Rest(rest.len())) }
}

/// Bytes of a piece: well below a frame.
pub(crate) const PIECE: usize = 1 << 19;

/// Splits what may be longer than a frame; the flag marks the last piece.
pub(crate) fn in_pieces(bytes: &[u8]) -> impl Iterator<Item = (Vec<u8>, bool)> {
    let count = bytes.len().div_ceil(PIECE);
    bytes.chunks(PIECE).enumerate().map(move |(index, piece)| (piece.to_vec(), index + 1 == count))
}

#[cfg(test)]
mod tests;
