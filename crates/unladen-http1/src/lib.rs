//! The framing of HTTP/1 (RFC 9112), without input or output: bytes in, heads and pieces of bodies out.
//!
//! The principal types are [`Request`] and [`Response`], heads that are strict about what they take, since two readers
//! of one connection that disagree where a message ends are how requests are smuggled; and [`Decoder`], which finds a
//! body's end.
//!
//! A head is neutral: what came by HTTP/2 is put into the same type ([`Fields::push`]), and held to the same rules
//! ([`Request::settle`], [`Response::settle`]).
#![forbid(unsafe_code)]

mod authority;
mod body;
mod bytes;
mod fault;
mod fields;
mod framing;
mod lines;
mod list;
mod name;
mod request;
mod response;
mod settle;
mod start_line;
mod write;

pub use body::{Decoder, Length, Step};
pub use fault::Fault;
pub use fields::{Field, Fields};
pub use list::{members, trim};
pub use name::Name;
pub use request::Request;
pub use response::Response;
pub use write::{CHUNK_END, LAST_CHUNK, chunk_head};

/// Bounds of a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeadLimits {
    /// Its bytes, the empty line included.
    pub bytes: usize,
    pub fields: usize,
}

impl Default for HeadLimits {
    fn default() -> Self {
        Self { bytes: 64 * 1024, fields: 128 }
    }
}
