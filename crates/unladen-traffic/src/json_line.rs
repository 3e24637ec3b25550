//! The function is [`parse`]: a line of JSON, as nginx (`escape=json`), Caddy, Traefik, ECS and others write it.
//!
//! Names differ between configurations: each field is known by the usual ones, in an object or with points between its
//! names. Of a list the first string counts (Caddy's headers). Where several fields have the target, the one that the
//! client sent counts: nginx' `$uri` is what an internal redirect made of it.

use crate::entry::{Entry, Method, PassedOver, address, is_hit, nanoseconds, number, path};
use crate::line::LogEntry;
use crate::time;

/// Objects within objects whose names are kept.
const DEEPEST: usize = 8;

/// What one line says, with several words for some of it.
#[derive(Default)]
struct Fields<'a> {
    entry: Entry<'a>,
    /// With its rank: the least counts, of equals the first.
    target: Option<(u8, &'a [u8])>,
    query: &'a [u8],
    has_method: bool,
    has_request: bool,
    /// Who asked, with the rank of the field.
    client: Option<(u8, std::net::IpAddr)>,
    is_diagnostic: bool,
    has_message: bool,
}

/// `scratch` holds a target that stands there in escapes or in parts.
pub(crate) fn parse<'a>(line: &'a [u8], scratch: &'a mut Vec<u8>) -> Result<Entry<'a>, PassedOver> {
    let mut fields = Fields::default();
    let (mut objects, mut depth) = ([&b""[..]; DEEPEST], 0_usize);
    let mut rest = &line[1..];
    while let Some(start) = memchr::memchr(b'"', rest) {
        // Ends of objects, and those of lists, which have no name.
        for byte in &rest[..start] {
            match byte {
                b'}' => depth = depth.saturating_sub(1),
                b'{' => {
                    if let Some(place) = objects.get_mut(depth) {
                        *place = b"?";
                    }
                    depth += 1;
                }
                _ => {}
            }
        }
        let (name, after) = string(&rest[start + 1..]).ok_or(PassedOver::NoEntry)?;
        let after = after.trim_ascii_start();
        let Some(after) = after.strip_prefix(b":") else {
            // A further string of a list.
            rest = after;
            continue;
        };
        let text = after.trim_ascii_start();
        let (value, after) = value(text).ok_or(PassedOver::NoEntry)?;
        rest = after;
        if text.starts_with(b"{") {
            if let Some(place) = objects.get_mut(depth) {
                *place = name;
            }
            depth += 1;
            continue;
        }
        let object = depth.checked_sub(1).map_or(&b""[..], |at| objects.get(at).copied().unwrap_or(b"?"));
        fields.set(object, name, value);
    }
    fields.finish(scratch)
}

impl<'a> Fields<'a> {
    fn set(&mut self, object: &'a [u8], name: &'a [u8], value: &'a [u8]) {
        // ECS also writes `url.path`.
        let (object, name) = match name.iter().rposition(|byte| *byte == b'.') {
            Some(at) => (name[..at].rsplit(|byte| *byte == b'.').next().unwrap_or_default(), &name[at + 1..]),
            None => (object, name),
        };
        let is_of_request = || matches!(object, b"" | b"request" | b"req" | b"url" | b"http" | b"httpRequest");
        let entry = &mut self.entry;
        match name {
            b"client_ip" | b"x_real_ip" => self.ask(0, value),
            b"remote_addr" | b"remote_ip" | b"clientip" | b"clientIp" | b"remoteAddr" | b"remoteIp" | b"ClientHost" => {
                self.ask(1, value);
            }
            b"ip" if matches!(object, b"client" | b"source") => self.ask(u8::from(object == b"source"), value),
            b"remote_user" | b"user" | b"user_id" => entry.is_signed_in |= !matches!(value, b"" | b"-" | b"null"),
            b"time_local" | b"time_iso8601" | b"time" | b"@timestamp" | b"timestamp" | b"ts" | b"msec"
            | b"StartUTC" => {
                entry.time = entry.time.or_else(|| time::seconds(value));
            }
            b"request_method" | b"method" | b"verb" | b"RequestMethod" | b"requestMethod" if !self.has_method => {
                (entry.method, self.has_method) = (Method::of(value), true);
            }
            b"request" => {
                self.has_request = true;
                let line = LogEntry { before: b"", time: b"", request: value, status: None, after: b"" };
                if let Some(line) = line.request_line() {
                    self.aim(1, line.target);
                    (self.entry.method, self.has_method) = (Method::of(line.method), true);
                } else if value.starts_with(b"/") {
                    self.aim(3, value);
                }
            }
            b"request_uri" | b"requestUri" | b"requestUrl" | b"RequestPath" => self.aim(0, value),
            b"original" if object == b"url" => self.aim(0, value),
            // Caddy's.
            b"uri" if object == b"request" => self.aim(2, value),
            b"uri" | b"url" | b"target" if is_of_request() => self.aim(3, value),
            b"path" if object == b"url" => self.aim(3, value),
            b"path" if is_of_request() => self.aim(4, value),
            b"args" | b"query_string" | b"query" if is_of_request() && value != b"-" => self.query = value,
            b"status" | b"response" | b"status_code" | b"DownstreamStatus" => {
                entry.status = entry.status.or(number(value).and_then(|status| u16::try_from(status).ok()));
            }
            b"body_bytes_sent" | b"bytes_sent" | b"bytes" | b"size" | b"DownstreamContentSize" if entry.bytes == 0 => {
                entry.bytes = number(value).unwrap_or(0);
            }
            b"http_user_agent" | b"user_agent" | b"agent" | b"User-Agent" | b"userAgent" | b"request_User-Agent" => {
                entry.user_agent = value;
            }
            b"original" if object == b"user_agent" => entry.user_agent = value,
            // nginx writes a dash where no cache was asked.
            b"upstream_cache_status" | b"cache_status" | b"cache" => {
                entry.is_hit = is_hit(value).or_else(|| matches!(value, b"-" | b"").then_some(false));
            }
            b"request_time" | b"duration" => entry.elapsed_ns = nanoseconds(value),
            b"Duration" => entry.elapsed_ns = number(value),
            // Caddy's other messages have requests too.
            b"logger" => {
                let is_caddys = value.starts_with(b"http.") || value.starts_with(b"admin") || value.starts_with(b"tls");
                self.is_diagnostic = is_caddys && !value.starts_with(b"http.log.access");
            }
            b"msg" | b"message" | b"level" => self.has_message = true,
            _ => {}
        }
    }

    fn aim(&mut self, rank: u8, target: &'a [u8]) {
        if !matches!(target, b"" | b"-") && self.target.is_none_or(|(other, _)| rank < other) {
            self.target = Some((rank, target));
        }
    }

    fn ask(&mut self, rank: u8, text: &[u8]) {
        if self.client.is_none_or(|(other, _)| rank < other)
            && let Some(address) = address(text)
        {
            self.client = Some((rank, address));
        }
    }

    fn finish(self, scratch: &'a mut Vec<u8>) -> Result<Entry<'a>, PassedOver> {
        let Self { mut entry, target, query, .. } = self;
        entry.address = self.client.map(|(_, address)| address);
        entry.status = entry.status.filter(|status| (100..=999).contains(status));
        let is_of_request = self.has_method || self.has_request || entry.status.is_some();
        if self.is_diagnostic || self.has_message && !is_of_request {
            return Err(PassedOver::Diagnostic);
        }
        let (rank, target) = match target {
            Some(target) if is_of_request => target,
            _ => return Err(if self.has_request { PassedOver::NoRequest } else { PassedOver::NoEntry }),
        };
        let query = if rank > 1 && !query.is_empty() && !target.contains(&b'?') { query } else { b"" };
        let target = if query.is_empty() && !target.contains(&b'\\') {
            target
        } else {
            scratch.clear();
            unescape(target, scratch);
            if !query.is_empty() {
                scratch.push(b'?');
                unescape(query.strip_prefix(b"?").unwrap_or(query), scratch);
            }
            scratch
        };
        entry.target = path(target).ok_or(PassedOver::NoPath)?;
        Ok(entry)
    }
}

/// Appends a string's text (RFC 8259, section 7). nginx without `escape=json` writes `\x` and two digits, which stay.
fn unescape(text: &[u8], to: &mut Vec<u8>) {
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        to.extend_from_slice(&rest[..at]);
        let (byte, length) = match &rest[at + 1..] {
            [byte @ (b'"' | b'\\' | b'/'), ..] => (Some(char::from(*byte)), 2),
            [b'n', ..] => (Some('\n'), 2),
            [b't', ..] => (Some('\t'), 2),
            [b'r', ..] => (Some('\r'), 2),
            [b'u', digits @ ..] => {
                let digits = digits.get(..4).and_then(|digits| std::str::from_utf8(digits).ok());
                (digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()).and_then(char::from_u32), 6)
            }
            _ => (None, 1),
        };
        match byte {
            Some(byte) => to.extend_from_slice(byte.encode_utf8(&mut [0; 4]).as_bytes()),
            None => to.extend_from_slice(&rest[at..(at + length).min(rest.len())]),
        }
        rest = &rest[(at + length).min(rest.len())..];
    }
    to.extend_from_slice(rest);
}

/// A string up to its quote, and what follows; escapes stay.
fn string(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut from = 0;
    loop {
        let at = from + memchr::memchr2(b'"', b'\\', text.get(from..)?)?;
        if text[at] == b'"' {
            return Some((&text[..at], &text[at + 1..]));
        }
        from = at + 2;
    }
}

/// A string, a number or a word; nothing of what holds others, which are read on their own.
fn value(text: &[u8]) -> Option<(&[u8], &[u8])> {
    match text.first()? {
        b'"' => string(&text[1..]),
        b'{' => Some((b"", &text[1..])),
        b'[' => match text[1..].trim_ascii_start().strip_prefix(b"\"") {
            Some(first) => string(first),
            None => Some((b"", &text[1..])),
        },
        _ => {
            let end = memchr::memchr3(b',', b'}', b']', text).unwrap_or(text.len());
            Some((text[..end].trim_ascii(), &text[end..]))
        }
    }
}
