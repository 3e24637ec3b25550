//! The principal type is [`Response`]: the head of a response.

use std::time::Duration;

use crate::framing::Framing;
use crate::lines::Lines;
use crate::start_line::StatusLine;
use crate::{Fault, Fields, HeadLimits, Length, Name};

/// The head of a response. Memory is reused between responses.
#[derive(Clone, Debug)]
pub struct Response {
    /// 100 to 599.
    pub status: u16,
    /// 0 or 1; 1 for HTTP/2.
    pub minor: u8,
    /// Without the reason phrase, which a client should ignore (RFC 9112, section 4).
    pub fields: Fields,
    /// The body's length, given the request's method.
    pub length: Length,
}

impl Default for Response {
    fn default() -> Self {
        Self { status: 0, minor: 1, fields: Fields::default(), length: Length::None }
    }
}

impl Response {
    /// Parses a head at the start of `bytes`: returns its length, or `None` if it is incomplete. A response to HEAD,
    /// and one of 1xx, 204 or 304, has no body (RFC 9112, section 6.3). Unless a length is returned, the response's
    /// content is meaningless.
    ///
    /// 1xx and 204 must have neither Transfer-Encoding nor Content-Length (RFC 9112, section 6.1; RFC 9110, section
    /// 8.6), and readers differ about those that do. The former is a fault, and so is a length other than 0, which is
    /// left out.
    pub fn parse(&mut self, bytes: &[u8], to_method: &[u8], limits: &HeadLimits) -> Result<Option<usize>, Fault> {
        let mut lines = Lines::new(bytes, limits.bytes);
        if lines.peek().is_some_and(|byte| byte != b'H') {
            return Err(if lines.peek() == Some(b'\n') { Fault::LineEnd } else { Fault::StartLine });
        }
        let Some(line) = lines.next()? else { return Ok(None) };
        let StatusLine { status, minor } = StatusLine::read(line)?;
        let Some(block) = lines.block(limits.fields)? else { return Ok(None) };

        let is_bare = status < 200 || status == 204;
        self.fields.begin(block.bytes(), block.lines());
        let fields = &mut self.fields;
        let mut framing = Framing::default();
        block.fields(|name, value| {
            let id = Name::of(name);
            match id {
                Name::ContentLength => match framing.content_length(value)? {
                    Some(digits) if !is_bare => fields.push_part(id, block.bytes(), name, digits),
                    Some(b"0") | None => {}
                    Some(_) => return Err(Fault::ContentLength),
                },
                Name::TransferEncoding if is_bare => return Err(Fault::TransferEncoding),
                Name::TransferEncoding => {
                    framing.transfer_encoding(value)?;
                    fields.push_part(id, block.bytes(), name, value);
                }
                _ => fields.push_part(id, block.bytes(), name, value),
            }
            Ok(())
        })?;
        framing.check(minor)?;

        self.status = status;
        self.minor = minor;
        self.length = match framing.exact {
            _ if is_bare || status == 304 || to_method == b"HEAD" => Length::None,
            _ if framing.chunked => Length::Chunked,
            Some(exact) => Length::Exact(exact),
            None => Length::UntilClose,
        };
        Ok(Some(lines.position()))
    }

    /// Whether the upstream keeps the connection after it: false also if the body ends with the connection, and after
    /// 101, when it no longer speaks HTTP/1.
    pub fn keeps_alive(&self) -> bool {
        self.status != 101 && self.length != Length::UntilClose && self.fields.keep_alive(self.minor)
    }

    /// How long the upstream keeps an idle connection: `Keep-Alive: timeout=5` (RFC 2068, section 19.7.1.1).
    pub fn idle_timeout(&self) -> Option<Duration> {
        let value = std::str::from_utf8(self.fields.get(Name::KeepAlive)?).ok()?;
        let mut parameters = value.split(',').filter_map(|parameter| parameter.split_once('='));
        let (_, seconds) = parameters.find(|(name, _)| name.trim().eq_ignore_ascii_case("timeout"))?;
        seconds.trim().trim_matches('"').parse().ok().map(Duration::from_secs)
    }
}

#[cfg(test)]
mod tests;
