//! The principal type is [`Request`]: the head of a request.

use crate::bytes::{is_token_byte, members};
use crate::framing::Framing;
use crate::lines::Lines;
use crate::start_line::{self, RequestLine};
use crate::{Fault, Fields, HeadLimits, Length, Name};

/// The head of a request. Memory is reused between requests.
///
/// After [`Request::parse`], the target is in origin-form (or `*`), the authority is from Host or the absolute-form,
/// and [`Request::length`] is certain.
#[derive(Clone, Debug)]
pub struct Request {
    /// GET …
    pub method: Vec<u8>,
    /// `/path?query`, or `*`.
    pub target: Vec<u8>,
    /// `host[:port]`; empty if HTTP/1.0 named none.
    pub authority: Vec<u8>,
    /// 0 or 1; 1 for HTTP/2.
    pub minor: u8,
    /// Without Host, which is in `authority`. Content-Length and Transfer-Encoding, if present, occur once, and the
    /// number has no leading zeros.
    pub fields: Fields,
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

impl Request {
    /// Parses a head at the start of `bytes`: returns its length, or `None` if it is incomplete. One empty line before
    /// it is skipped and counted (RFC 9112, section 2.2). Unless a length is returned, the request's content is
    /// meaningless.
    ///
    /// A fault is found as soon as its bytes have arrived, however few of the rest have.
    pub fn parse(&mut self, bytes: &[u8], limits: &HeadLimits) -> Result<Option<usize>, Fault> {
        let mut lines = Lines::new(bytes, limits.bytes);
        if bytes.first() == Some(&b'\r') {
            match bytes.get(1) {
                Some(b'\n') | None => {
                    if lines.next()?.is_none() {
                        return Ok(None);
                    }
                }
                Some(_) => return Err(Fault::LineEnd),
            }
        }
        if lines.peek().is_some_and(|byte| !is_token_byte(byte)) {
            return Err(if matches!(lines.peek(), Some(b'\n')) { Fault::LineEnd } else { Fault::StartLine });
        }
        let Some(line) = lines.next()? else { return Ok(None) };
        let line = RequestLine::read(line)?;
        let Some(block) = lines.block(limits.fields)? else { return Ok(None) };

        self.fields.begin(block.bytes(), block.lines());
        let fields = &mut self.fields;
        let mut framing = Framing::default();
        let mut host = None;
        block.fields(|name, value| {
            let id = Name::of(name);
            match id {
                Name::Host if host.is_some() => return Err(Fault::Host),
                Name::Host => host = Some(start_line::authority(value).ok_or(Fault::Host)?),
                Name::ContentLength => {
                    if let Some(digits) = framing.content_length(value)? {
                        fields.push_part(id, block.bytes(), name, digits);
                    }
                }
                Name::TransferEncoding => {
                    framing.transfer_encoding(value)?;
                    fields.push_part(id, block.bytes(), name, value);
                }
                Name::Connection if members(value).any(is_end_to_end) => return Err(Fault::Field),
                Name::Other if Name::is_lookalike(name) => return Err(Fault::Field),
                _ => fields.push_part(id, block.bytes(), name, value),
            }
            Ok(())
        })?;
        framing.check(line.minor)?;
        if host.is_none() && line.minor == 1 {
            return Err(Fault::Host);
        }

        set(&mut self.method, line.method);
        set(&mut self.target, line.target.root);
        self.target.extend_from_slice(line.target.path);
        // the absolute-form takes precedence: RFC 9112, section 3.2.2
        set(&mut self.authority, line.target.authority.or(host).unwrap_or_default());
        self.minor = line.minor;
        self.length = match framing.exact {
            _ if framing.chunked => Length::Chunked,
            Some(exact) => Length::Exact(exact),
            None => Length::None,
        };
        Ok(Some(lines.position()))
    }

    /// Whether the client keeps the connection after the response (RFC 9112, section 9.3).
    pub fn keeps_alive(&self) -> bool {
        self.fields.keep_alive(self.minor)
    }

    /// Whether sending it twice has the same effect as once (RFC 9110, section 9.2.2).
    pub fn is_idempotent(&self) -> bool {
        matches!(&*self.method, b"GET" | b"HEAD" | b"OPTIONS" | b"TRACE" | b"PUT" | b"DELETE")
    }

    /// Whether the client waits for `100 Continue` before it sends the body (RFC 9110, section 10.1.1). Never with
    /// HTTP/1.0 or without a body.
    pub fn expects_continue(&self) -> bool {
        self.minor == 1
            && !matches!(self.length, Length::None | Length::Exact(0))
            && self.fields.has_token(Name::Expect, b"100-continue")
    }
}

fn set(place: &mut Vec<u8>, bytes: &[u8]) {
    place.clear();
    place.extend_from_slice(bytes);
}

// Listed fields are removed on the way: without its length or host, a request becomes another.
fn is_end_to_end(option: &[u8]) -> bool {
    matches!(Name::of(option), Name::ContentLength | Name::Host)
}

#[cfg(test)]
mod tests;
