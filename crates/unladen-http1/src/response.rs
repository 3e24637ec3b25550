//! The principal type is [`Response`]: the head of a response.

use crate::{Fault, Fields, HeadLimits, Length};

/// The head of a response. Memory is kept from one to the next.
#[derive(Clone, Debug)]
pub struct Response {
    /// 100 to 599.
    pub status: u16,
    /// The minor version, 0 or 1; 1 for a response that came by HTTP/2.
    pub minor: u8,
    /// Its fields. The reason phrase is dropped (RFC 9112, section 4: a client should ignore it).
    pub fields: Fields,
    /// Of its body, given the request's method.
    pub length: Length,
}

impl Default for Response {
    fn default() -> Self {
        Self { status: 0, minor: 1, fields: Fields::default(), length: Length::None }
    }
}

// === impl Response ===

impl Response {
    /// Reads a head from the start of `bytes`: as many bytes as it is long, or none if it is not whole yet. A response to
    /// HEAD, of 1xx, 204 and 304 has no body (RFC 9112, section 6.3).
    pub fn parse(&mut self, bytes: &[u8], to_method: &[u8], limits: &HeadLimits) -> Result<Option<usize>, Fault> {
        todo!("{} {} {limits:?}", bytes.len(), to_method.len())
    }

    /// Whether the upstream keeps the connection after it: also false if its body ends with the connection.
    pub fn keeps_alive(&self) -> bool {
        todo!()
    }
}
