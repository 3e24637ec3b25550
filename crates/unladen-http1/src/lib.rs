//! The framing of HTTP/1 (RFC 9112) without I/O: bytes in, heads and pieces of bodies out.
//!
//! The principal types are [`Request`] and [`Response`], heads that are parsed strictly, since request smuggling relies
//! on two readers of a connection that disagree where a message ends; and [`Decoder`], which finds a body's end.
//!
//! A head is neutral: HTTP/2 messages use the same type ([`Fields::push`]) and the same rules ([`Request::settle`],
//! [`Response::settle`]).
#![forbid(unsafe_code)]

mod body;
mod bytes;
mod fault;
mod fields;
mod framing;
mod lines;
mod name;
mod request;
mod response;
mod settle;
mod start_line;

pub use body::{CHUNK_END, Decoder, LAST_CHUNK, Length, Step, chunk_head};
pub use bytes::{members, trim};
pub use fault::Fault;
pub use fields::{Field, Fields};
pub use name::Name;
pub use request::Request;
pub use response::Response;

/// Bounds of a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeadLimits {
    /// Including the empty line.
    pub bytes: usize,
    pub fields: usize,
}

impl Default for HeadLimits {
    fn default() -> Self {
        Self { bytes: 64 * 1024, fields: 128 }
    }
}
