//! [`precondition`]: whether a client's copy is still good (RFC 9110, section 13), by the [`Validators`] of the
//! response.

use std::time::Duration;

use unladen_http1::{Fields, Request};

use crate::Time;
use crate::text::{lines, trim};

/// Fields that distinguish versions of a response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Validators {
    /// As written: `"abc"`, `W/"abc"`.
    pub etag: Option<Box<[u8]>>,
    pub modified: Option<Time>,
    pub date: Option<Time>,
}

/// The result of a client's conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// There are none, or they hold.
    Proceed,
    /// 304
    NotModified,
    /// 412: the stored response may be older than what the client has seen, so a careful cache asks the application
    /// instead, as RFC 9110, sections 13.1.1 and 13.1.4, allows.
    Failed,
}

/// A change must be this much older than its response for its time to distinguish versions: within a second it cannot,
/// and two clocks may differ (RFC 9110, section 8.8.2.2).
const STRONG_AFTER: Duration = Duration::from_secs(60);

impl Validators {
    /// Reads a response's validators; invalid dates are ignored.
    pub fn of(fields: &Fields) -> Self {
        let date = |name| fields.find(name).and_then(Time::parse);
        Self {
            etag: fields.find(b"etag").filter(|etag| !etag.is_empty()).map(Box::from),
            modified: date(b"last-modified"),
            date: date(b"date"),
        }
    }

    fn has_strong_date(&self) -> bool {
        matches!((self.modified, self.date), (Some(modified), Some(date)) if date.since(modified) >= STRONG_AFTER)
    }
}

/// Evaluates `If-Match`, `If-None-Match`, `If-Modified-Since`, `If-Unmodified-Since` of a GET or HEAD against a stored
/// response of status 200 (RFC 9110, section 13.2.2). `received` replaces a missing `Last-Modified` (RFC 9111, section
/// 4.3.2).
///
/// Only the application can judge conditions of other methods: for them, what would be 304 proceeds.
pub fn precondition(request: &Request, validators: &Validators, received: Time) -> Verdict {
    let fields = &request.fields;
    let there = Conditions::of(fields);
    if there == Conditions::default() {
        return Verdict::Proceed;
    }
    let etag = validators.etag.as_deref();
    let modified = validators.modified.or(validators.date).unwrap_or(received);

    let holds = match there {
        Conditions { matches: true, .. } => {
            any_tag(fields, b"if-match", |tag| etag.is_some_and(|etag| is_strong_match(tag, etag)))
        }
        Conditions { unmodified: true, .. } => only_date(fields, b"if-unmodified-since")
            .is_none_or(|since| validators.modified.is_none_or(|modified| modified <= since)),
        _ => true,
    };
    if !holds {
        return Verdict::Failed;
    }
    if !matches!(&*request.method, b"GET" | b"HEAD") {
        return Verdict::Proceed;
    }
    let is_unmodified = match there {
        Conditions { none_matches: true, .. } => {
            any_tag(fields, b"if-none-match", |tag| etag.is_some_and(|etag| is_weak_match(tag, etag)))
        }
        Conditions { modified: true, .. } => {
            only_date(fields, b"if-modified-since").is_some_and(|since| modified <= since)
        }
        _ => false,
    };
    if is_unmodified { Verdict::NotModified } else { Verdict::Proceed }
}

/// Whether `Range` counts: there is no `If-Range`, or it matches (RFC 9110, section 13.1.5).
pub fn if_range(request: &Request, validators: &Validators) -> bool {
    let mut lines = lines(&request.fields, b"if-range");
    let Some(value) = lines.next() else { return true };
    if lines.next().is_some() {
        return false;
    }
    match Time::parse(value) {
        Some(date) => validators.modified == Some(date) && validators.has_strong_date(),
        None => validators.etag.as_deref().is_some_and(|etag| is_strong_match(value, etag)),
    }
}

/// Which conditions a request has. Most have none, and few have two: one pass finds them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Conditions {
    matches: bool,
    none_matches: bool,
    modified: bool,
    unmodified: bool,
}

impl Conditions {
    fn of(fields: &Fields) -> Self {
        let mut there = Self::default();
        for field in fields.iter().filter(|field| matches!(field.name, [b'i' | b'I', b'f' | b'F', b'-', ..])) {
            let is = |name: &[u8]| field.name.eq_ignore_ascii_case(name);
            there.matches |= is(b"if-match");
            there.none_matches |= is(b"if-none-match");
            there.modified |= is(b"if-modified-since");
            there.unmodified |= is(b"if-unmodified-since");
        }
        there
    }
}

/// Whether any tag of any line matches, or `*` stands for whatever is stored.
fn any_tag(fields: &Fields, name: &[u8], matches: impl Fn(&[u8]) -> bool) -> bool {
    lines(fields, name).flat_map(tags).any(|tag| tag == b"*" || matches(tag))
}

/// A date in its only line: an invalid or repeated one is ignored (RFC 9110, sections 13.1.3 and 13.1.4).
fn only_date(fields: &Fields, name: &[u8]) -> Option<Time> {
    let mut lines = lines(fields, name);
    let date = Time::parse(lines.next()?)?;
    lines.next().is_none().then_some(date)
}

/// The entity tags of a line (RFC 9110, section 8.8.3), as written. Unquoted text up to a comma is a tag, too: some
/// applications write such, and since it only equals itself, it does no harm.
pub(crate) fn tags(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = line;
    std::iter::from_fn(move || {
        while let [b' ' | b'\t' | b',', after @ ..] = rest {
            rest = after;
        }
        if rest.is_empty() {
            return None;
        }
        let weak = if rest.starts_with(b"W/") { 2 } else { 0 };
        // A comma in quotes is part of the tag; so are quotes that do not end.
        let quoted = match &rest[weak..] {
            [b'"', opaque @ ..] => memchr::memchr(b'"', opaque).map_or(0, |end| weak + 1 + end + 1),
            _ => 0,
        };
        let end = memchr::memchr(b',', &rest[quoted..]).map_or(rest.len(), |comma| quoted + comma);
        let (tag, after) = rest.split_at(end);
        rest = after;
        Some(trim(tag))
    })
}

/// Whether two tags are the same except for weakness.
fn is_weak_match(one: &[u8], other: &[u8]) -> bool {
    opaque(one) == opaque(other)
}

fn is_strong_match(one: &[u8], other: &[u8]) -> bool {
    one == other && one.starts_with(b"\"")
}

fn opaque(tag: &[u8]) -> &[u8] {
    tag.strip_prefix(b"W/").unwrap_or(tag)
}

#[cfg(test)]
mod tests;
