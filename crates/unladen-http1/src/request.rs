//! The principal type is [`Request`]: the head of a request.

use crate::{Fault, Fields, HeadLimits, Length};

/// The head of a request. Memory is kept from one to the next.
///
/// After [`Request::parse`]: the target is in origin-form (or `*`), the authority is what Host or the absolute-form said, and
/// [`Request::length`] is certain.
#[derive(Clone, Debug)]
pub struct Request {
    /// GET …
    pub method: Vec<u8>,
    /// `/path?query`, or `*`.
    pub target: Vec<u8>,
    /// host[:port]; empty if HTTP/1.0 named none.
    pub authority: Vec<u8>,
    /// The minor version, 0 or 1; 1 for a request that came by HTTP/2.
    pub minor: u8,
    /// Its fields: without Host, which `authority` is. Content-Length and Transfer-Encoding are among them, if they came.
    pub fields: Fields,
    /// Of its body.
    pub length: Length,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            method: Vec::new(),
            target: Vec::new(),
            authority: Vec::new(),
            minor: 1,
            fields: Fields::default(),
            length: Length::None,
        }
    }
}

// === impl Request ===

impl Request {
    /// Reads a head from the start of `bytes`: as many bytes as it is long, or none if it is not whole yet.
    pub fn parse(&mut self, bytes: &[u8], limits: &HeadLimits) -> Result<Option<usize>, Fault> {
        todo!("{} {limits:?}", bytes.len())
    }

    /// Whether the client keeps the connection after the response (RFC 9112, section 9.3).
    pub fn keeps_alive(&self) -> bool {
        todo!()
    }

    /// Whether sending it twice does what sending it once does (RFC 9110, section 9.2.2).
    pub fn is_idempotent(&self) -> bool {
        matches!(&*self.method, b"GET" | b"HEAD" | b"OPTIONS" | b"TRACE" | b"PUT" | b"DELETE")
    }

    /// Whether the client waits for `100 Continue` before it sends the body (RFC 9110, section 10.1.1).
    pub fn expects_continue(&self) -> bool {
        todo!()
    }
}
