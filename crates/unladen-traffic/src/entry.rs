//! The principal type is [`Entry`]: what one line of a log says of a request.

use std::net::IpAddr;

use crate::line::closing_quote;

/// A request, as one line of any of the formats has it; nothing of it is copied.
#[derive(Clone, Copy, Debug, Default)]
pub struct Entry<'a> {
    /// Whose request it was; kept nowhere.
    pub address: Option<IpAddr>,
    pub is_signed_in: bool,
    /// Seconds since 1970.
    pub time: Option<i64>,
    pub method: Method,
    /// Path and query, which begin with a slash.
    pub target: &'a [u8],
    /// `None` if nothing was answered.
    pub status: Option<u16>,
    pub bytes: u64,
    pub user_agent: &'a [u8],
    /// Whether a cache answered, if the log says so.
    pub is_hit: Option<bool>,
    /// How long the answer took, ns, if the log says so.
    pub elapsed_ns: Option<u64>,
    /// CPU time of the request, ns, in 10 ms ticks: PHP-FPM's `%C` of its duration.
    pub cpu_ns: Option<u64>,
    /// Most memory of the request, bytes: PHP-FPM's `%M`.
    pub memory: Option<u64>,
}

/// Method of a request, as far as it matters for a repetition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    Get,
    Head,
    #[default]
    Other,
}

/// Why a line is no entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PassedOver {
    Empty,
    /// Cut, or in none of the formats.
    NoEntry,
    /// No request of HTTP/1.0 or later.
    NoRequest,
    /// The target is no path: `*`, or a URL of another scheme.
    NoPath,
    /// What a server says of itself or of an error, in the same file.
    Diagnostic,
    /// What Unladen sent, to measure: nobody's traffic.
    Own,
}

impl PassedOver {
    /// All, in the order of what is told.
    pub const ALL: [Self; 6] = [Self::Empty, Self::NoEntry, Self::NoRequest, Self::NoPath, Self::Diagnostic, Self::Own];

    /// Describes such lines, to follow their number.
    pub fn about(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::NoEntry => "not in a known log format (cut off, or another format)",
            Self::NoRequest => "without an HTTP/1.0 or later request",
            Self::NoPath => "with a target that is not a path",
            Self::Own => "of Unladen's own requests",
            Self::Diagnostic => "of diagnostics, not of an answered request",
        }
    }
}

impl Method {
    pub(crate) fn of(text: &[u8]) -> Self {
        match text {
            b"GET" => Self::Get,
            b"HEAD" => Self::Head,
            _ => Self::Other,
        }
    }
}

impl<'a> Entry<'a> {
    /// `HOST IDENTITY USER`: perhaps after the site's name, or after what a collector of logs puts in front, and HOST may
    /// be several addresses with commas (`X-Forwarded-For`), the first of which is the client's.
    pub(crate) fn set_client(&mut self, before: &[u8]) {
        let mut words = before.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
        let is_user = |user: &[u8]| !matches!(user, b"" | b"-" | b"\"\"" | b"\"-\"");
        // Nothing is put in front of a line that begins with an address; with a port, that may be the site's.
        let (first, rest) = word(before);
        if let Some(address) = plain_address(first) {
            self.address = Some(address);
            self.is_signed_in = is_user(word(word(rest).1).0);
            return;
        }
        let (mut found, mut run) = (None, false);
        // Words since then: identity and user.
        let mut user: &[u8] = b"";
        let (mut since, mut last): (usize, [&[u8]; 2]) = (0, [b"", b""]);
        for word in &mut words {
            let (text, is_one_of) = word.strip_suffix(b",").map_or((word, false), |word| (word, true));
            match address(text) {
                Some(address) => {
                    if !run {
                        found = Some(address);
                    }
                    (run, since, user) = (is_one_of, 0, b"");
                }
                None => {
                    (run, since) = (false, since + 1);
                    if since == 2 {
                        user = word;
                    }
                }
            }
            last = [last[1], word];
        }
        // Names of hosts are no networks.
        self.address = found;
        let user = if found.is_some() {
            user
        } else if since > 2 {
            last[1]
        } else {
            b""
        };
        self.is_signed_in = is_user(user);
    }

    /// `SIZE "REFERER" "USER-AGENT"`, and whatever else was configured.
    pub(crate) fn set_fields(&mut self, after: &'a [u8]) {
        let (size, mut rest) = word(after);
        self.bytes = number(size).unwrap_or(0);
        let mut quoted = 0;
        while !rest.is_empty() {
            let field;
            let is_quoted = rest[0] == b'"';
            if is_quoted {
                let end = closing_quote(&rest[1..]).map_or(rest.len(), |end| end + 1);
                field = &rest[1..end];
                rest = rest[(end + 1).min(rest.len())..].trim_ascii_start();
                quoted += 1;
                if quoted == 2 {
                    self.user_agent = field;
                }
            } else {
                (field, rest) = word(rest);
            }
            // The first two in quotes are what clients say.
            if !is_quoted || quoted > 2 {
                self.set_further(field);
            }
        }
    }

    /// A field of unknown meaning, perhaps `name=value`.
    fn set_further(&mut self, field: &[u8]) {
        let value = memchr::memchr(b'=', field).map_or(field, |at| &field[at + 1..]);
        let value = value.strip_prefix(b"\"").unwrap_or(value);
        let value = value.strip_suffix(b"\"").unwrap_or(value);
        if self.is_hit.is_none() {
            self.is_hit = is_hit(value);
        }
        // $request_time is in seconds with three digits; other numbers mean something else.
        if self.elapsed_ns.is_none() && value.len() > 4 && value[value.len() - 4] == b'.' {
            self.elapsed_ns = nanoseconds(value);
        }
    }
}

/// What caches say of a request: nginx' $upstream_cache_status, Varnish' %{Varnish:hitmiss}x, Squid's %Ss, `Cache-Status`.
pub(crate) fn is_hit(text: &[u8]) -> Option<bool> {
    const HITS: [&[u8]; 8] =
        [b"hit", b"stale", b"updating", b"revalidated", b"tcp_hit", b"tcp_mem_hit", b"tcp_ims_hit", b"hit-front"];
    const MISSES: [&[u8]; 8] =
        [b"miss", b"bypass", b"expired", b"scarce", b"pass", b"tcp_miss", b"tcp_refresh_modified", b"dynamic"];
    if text.len() < 3 || text.len() > 24 || text[0].is_ascii_digit() {
        return None;
    }
    let is_in = |list: &[&[u8]]| list.iter().any(|known| known.eq_ignore_ascii_case(text));
    if is_in(&HITS) { Some(true) } else { is_in(&MISSES).then_some(false) }
}

/// Nanoseconds of seconds with or without digits after a point.
pub(crate) fn nanoseconds(text: &[u8]) -> Option<u64> {
    // A day: what takes longer was not measured.
    Some((decimal(text).filter(|seconds| *seconds < 86_400.0)? * 1e9) as u64)
}

/// A number that is not negative.
pub(crate) fn decimal(text: &[u8]) -> Option<f64> {
    std::str::from_utf8(text).ok()?.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0)
}

/// Path and query of a target; of an absolute URL what follows its host.
pub(crate) fn path(target: &[u8]) -> Option<&[u8]> {
    if target.starts_with(b"/") {
        return Some(target);
    }
    let scheme = memchr::memmem::find(&target[..target.len().min(8)], b"://")?;
    let is_http = target[..scheme].eq_ignore_ascii_case(b"http") || target[..scheme].eq_ignore_ascii_case(b"https");
    let rest = &target[scheme + 3..];
    let at = memchr::memchr2(b'/', b'?', rest);
    match at {
        _ if !is_http => None,
        None => Some(b"/"),
        Some(at) if rest[at] == b'/' => Some(&rest[at..]),
        Some(_) => None,
    }
}

pub(crate) fn word(text: &[u8]) -> (&[u8], &[u8]) {
    match memchr::memchr(b' ', text) {
        Some(end) => (&text[..end], text[end + 1..].trim_ascii_start()),
        None => (text, b""),
    }
}

pub(crate) fn number(text: &[u8]) -> Option<u64> {
    if text.is_empty() || text.len() > 18 {
        return None;
    }
    text.iter().try_fold(0, |sum, byte| byte.is_ascii_digit().then(|| 10 * sum + u64::from(byte - b'0')))
}

/// Also with a port: `192.0.2.7:4711`, `[2001:db8::1]:4711`.
pub(crate) fn address(text: &[u8]) -> Option<IpAddr> {
    plain_address(text).or_else(|| match text {
        [b'[', rest @ ..] => plain_address(&rest[..memchr::memchr(b']', rest)?]),
        _ => plain_address(&text[..memchr::memrchr(b':', text)?]).filter(IpAddr::is_ipv4),
    })
}

fn plain_address(text: &[u8]) -> Option<IpAddr> {
    if text.len() > 45 {
        return None;
    }
    let is_v6 = memchr::memchr(b':', text).is_some();
    if !is_v6 && !text.first()?.is_ascii_digit() {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}
