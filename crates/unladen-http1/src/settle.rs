//! Checks for heads and trailers received by HTTP/2, equivalent to parsing, before they are passed on, perhaps as
//! HTTP/1.
//!
//! Bytes of names and values are checked again: existing HTTP/2 libraries let invalid tokens pass as names (`x"`),
//! which HTTP/1 does not allow. Rules beyond RFC 9113 are here too, since requests that one version of HTTP refuses and
//! another accepts can be smuggled past programs that check only one.

use crate::body::is_forbidden;
use crate::framing::Framing;
use crate::start_line::{self, check_method};
use crate::{Fault, Field, Fields, Length, Name, Request, Response, bytes};

impl Request {
    /// Validates a head built from HTTP/2: afterwards all that [`Request::parse`] guarantees holds, or it is refused.
    /// Sets the length: `ends` says that there is no body.
    pub fn settle(&mut self, ends: bool) -> Result<(), Fault> {
        if !bytes::is_token(&self.method) {
            return Err(Fault::StartLine);
        }
        check_method(&self.method)?;
        let is_path = self.target.first() == Some(&b'/');
        if !bytes::is_target(&self.target) || !(is_path || (self.target == b"*" && self.method == b"OPTIONS")) {
            return Err(Fault::Target);
        }
        let known = start_line::authority(&self.authority).ok_or(Fault::Host)?.len();
        self.authority.truncate(known);
        if self.fields.iter().any(|field| field.id == Name::Other && Name::is_lookalike(field.name)) {
            return Err(Fault::Field);
        }
        self.minor = 1;
        self.length = match settle(&mut self.fields)? {
            Some(exact) if !ends || exact == 0 => Length::Exact(exact),
            Some(_) => return Err(Fault::ContentLength),
            None if ends => Length::None,
            None => Length::Chunked,
        };
        Ok(())
    }
}

impl Response {
    /// Validates a head built from HTTP/2: afterwards all that [`Response::parse`] guarantees holds, or it is refused.
    /// Sets the length: `ends` says that there is no body.
    pub fn settle(&mut self, to_method: &[u8], ends: bool) -> Result<(), Fault> {
        if !(100..600).contains(&self.status) {
            return Err(Fault::StartLine);
        }
        let is_bare = self.status < 200 || self.status == 204;
        let has_none = is_bare || self.status == 304 || to_method == b"HEAD";
        self.minor = 1;
        self.length = match settle(&mut self.fields)? {
            Some(exact) if is_bare && exact != 0 => return Err(Fault::ContentLength),
            _ if has_none => Length::None,
            Some(exact) if !ends || exact == 0 => Length::Exact(exact),
            Some(_) => return Err(Fault::ContentLength),
            None if ends => Length::None,
            None => Length::Chunked,
        };
        if is_bare {
            self.fields.remove(Name::ContentLength);
        }
        Ok(())
    }
}

impl Fields {
    /// Validates trailers received by HTTP/2: refuses those that [`Decoder`](crate::Decoder) refuses.
    pub fn settle_trailers(&self) -> Result<(), Fault> {
        let is_faulty = |field: Field<'_>| is_forbidden(field.id, field.name) || !is_well_formed(&field);
        if self.iter().any(is_faulty) { Err(Fault::Trailers) } else { Ok(()) }
    }
}

// RFC 9110, sections 5.1 and 5.5.
fn is_well_formed(field: &Field<'_>) -> bool {
    bytes::is_token(field.name) && field.value.iter().all(|byte| bytes::is_text_byte(*byte))
}

// Returns the length, and keeps its field once, without leading zeros.
fn settle(fields: &mut Fields) -> Result<Option<u64>, Fault> {
    let mut framing = Framing::default();
    let mut lines = 0;
    let mut is_plain = true;
    for field in fields.iter() {
        if !is_well_formed(&field) {
            return Err(Fault::Field);
        }
        match field.id {
            // Host is in the authority; HTTP/2 does not have the others (RFC 9113, section 8.2.2).
            Name::Host => return Err(Fault::Host),
            Name::Connection | Name::TransferEncoding | Name::KeepAlive | Name::ProxyConnection | Name::Upgrade => {
                return Err(Fault::Field);
            }
            Name::ContentLength => {
                let digits = framing.content_length(field.value)?;
                is_plain &= digits == Some(field.value);
                lines += 1;
            }
            _ => {}
        }
    }
    if let Some(exact) = framing.exact
        && (lines > 1 || !is_plain)
    {
        fields.set(b"content-length", exact.to_string().as_bytes());
    }
    Ok(framing.exact)
}

#[cfg(test)]
mod tests;
