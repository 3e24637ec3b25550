//! The principal functions are [`encode`] and [`decode`]: messages as bodies of frames.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::frame::MAX_FRAME;

/// An invalid message, or one too long for a frame.
#[derive(Debug, thiserror::Error)]
pub enum CodecError {
    #[error("{0}")]
    Malformed(#[from] postcard::Error),
    #[error("{0} bytes after the end of a message")]
    Rest(usize),
    #[error("a message of {0} bytes, where a frame holds {MAX_FRAME}")]
    TooLong(usize),
}

/// Encodes a message as the body of a frame.
///
/// # Errors
/// If it were longer than a frame.
pub fn encode<M: Serialize>(message: &M) -> Result<Vec<u8>, CodecError> {
    let body = postcard::to_stdvec(message)?;
    if body.len() > MAX_FRAME { Err(CodecError::TooLong(body.len())) } else { Ok(body) }
}

/// Decodes the body of a frame.
///
/// # Errors
/// If it is no message, or has trailing bytes.
pub fn decode<M: DeserializeOwned>(body: &[u8]) -> Result<M, CodecError> {
    let (message, rest) = postcard::take_from_bytes(body)?;
    if rest.is_empty() { Ok(message) } else { Err(CodecError::Rest(rest.len())) }
}
