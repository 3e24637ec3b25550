//! `Cache-Control` of requests ([`RequestControl`]) and of responses ([`ResponseControl`]): RFC 9111, section 5.2; RFC
//! 5861; RFC 8246; RFC 9213.

use std::time::Duration;

use sfv::{BareItem, Dictionary, ListEntry, Parser};
use unladen_http1::Fields;

use crate::text::{LONGEST, is_token, lines, members, seconds, trim};

/// `Cache-Control` of a request. Invalid directives are ignored: they do not bind a gateway.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names of the directives")]
pub struct RequestControl {
    pub no_cache: bool,
    pub no_store: bool,
    pub only_if_cached: bool,
    pub max_age: Option<Duration>,
    pub min_fresh: Option<Duration>,
    pub max_stale: Option<MaxStale>,
    pub stale_if_error: Option<Duration>,
}

/// The value of `max-stale`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaxStale {
    Any,
    For(Duration),
}

/// `Cache-Control` of a response, for a shared cache that is a gateway: a valid `CDN-Cache-Control` replaces it. An
/// invalid time is zero, so that a doubtful response is stale (RFC 9111, section 4.2.1); of repeated directives, the
/// first counts. A directive that forbids does so behind `;` too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names of the directives")]
pub struct ResponseControl {
    pub no_store: bool,
    pub private: bool,
    pub public: bool,
    pub no_cache: bool,
    /// Lower-case names in `no-cache="…"` or `private="…"`: fields that must not be reused.
    pub without: Vec<Box<[u8]>>,
    pub must_revalidate: bool,
    pub proxy_revalidate: bool,
    pub must_understand: bool,
    pub immutable: bool,
    pub max_age: Option<Duration>,
    pub s_maxage: Option<Duration>,
    pub stale_while_revalidate: Option<Duration>,
    pub stale_if_error: Option<Duration>,
    /// The directives come from `CDN-Cache-Control`.
    pub targeted: bool,
}

/// Most fields named as not to be reused. A response that names more is never reused without validation.
const MOST_WITHOUT: usize = 32;

impl RequestControl {
    /// Reads `Cache-Control`, or without it `Pragma` (RFC 9111, section 5.4).
    pub fn of(fields: &Fields) -> Self {
        let mut control = Self::default();
        let (mut is_said, mut has_pragma) = (false, false);
        for field in fields.iter() {
            match field.name.len() {
                13 if field.name.eq_ignore_ascii_case(b"cache-control") => {
                    is_said = true;
                    directives(field.value).for_each(|directive| control.take(directive));
                }
                6 if field.name.eq_ignore_ascii_case(b"pragma") => has_pragma |= is_no_cache(field.value),
                _ => (),
            }
        }
        control.no_cache |= !is_said && has_pragma;
        control
    }

    fn take(&mut self, directive: Directive<'_>) {
        let is = |name: &[u8]| directive.name.eq_ignore_ascii_case(name);
        let time = || directive.value.and_then(|value| seconds(value?));
        if is(b"no-cache") {
            self.no_cache = true;
        } else if is(b"no-store") {
            self.no_store = true;
        } else if is(b"only-if-cached") {
            self.only_if_cached = true;
        } else if is(b"max-age") {
            self.max_age = self.max_age.or_else(time);
        } else if is(b"min-fresh") {
            self.min_fresh = self.min_fresh.or_else(time);
        } else if is(b"stale-if-error") {
            self.stale_if_error = self.stale_if_error.or_else(time);
        } else if is(b"max-stale") && self.max_stale.is_none() {
            self.max_stale = match directive.value {
                None => Some(MaxStale::Any),
                Some(_) => time().map(MaxStale::For),
            };
        }
    }
}

impl ResponseControl {
    /// Reads `CDN-Cache-Control` if it is valid; else `Cache-Control`, or without it `Pragma`.
    pub fn of(fields: &Fields) -> Self {
        if let Some(control) = Self::targeted(fields) {
            return control;
        }
        let mut control = Self::default();
        let mut is_said = false;
        for line in lines(fields, b"cache-control") {
            is_said = true;
            directives(line).for_each(|directive| control.take(directive));
            if memchr::memchr(b';', line).is_some() {
                control.take_apart(line);
            }
        }
        control.no_cache |= !is_said && has_pragma(fields);
        control
    }

    pub(crate) fn lifetime(&self) -> Option<Duration> {
        self.s_maxage.or(self.max_age)
    }

    fn take(&mut self, directive: Directive<'_>) {
        let is = |name: &[u8]| directive.name.eq_ignore_ascii_case(name);
        let time = || Some(directive.value.flatten().and_then(seconds).unwrap_or(Duration::ZERO));
        if is(b"max-age") {
            self.max_age = self.max_age.or_else(time);
        } else if is(b"s-maxage") {
            self.s_maxage = self.s_maxage.or_else(time);
        } else if is(b"stale-while-revalidate") {
            self.stale_while_revalidate = self.stale_while_revalidate.or_else(time);
        } else if is(b"stale-if-error") {
            self.stale_if_error = self.stale_if_error.or_else(time);
        } else if is(b"no-cache") {
            self.no_cache |= !self.is_qualified(directive.value);
        } else if is(b"private") {
            self.private |= !self.is_qualified(directive.value);
        } else if let Some(said) = self.flag(|name| is(name)) {
            *said = true;
        }
    }

    /// What forbids in a line of which `;` was thought to separate directives: `private; max-age=60`.
    fn take_apart(&mut self, line: &[u8]) {
        for part in line.split(|byte| matches!(byte, b';' | b',')) {
            let said = trim(part.split(|byte| *byte == b'=').next().unwrap_or_default());
            let is = |name: &[u8]| said.eq_ignore_ascii_case(name);
            self.no_store |= is(b"no-store");
            self.private |= is(b"private");
            self.no_cache |= is(b"no-cache");
        }
    }

    /// The field of a directive without value.
    fn flag(&mut self, is: impl Fn(&[u8]) -> bool) -> Option<&mut bool> {
        Some(match () {
            () if is(b"no-store") => &mut self.no_store,
            () if is(b"public") => &mut self.public,
            () if is(b"must-revalidate") => &mut self.must_revalidate,
            () if is(b"proxy-revalidate") => &mut self.proxy_revalidate,
            () if is(b"must-understand") => &mut self.must_understand,
            () if is(b"immutable") => &mut self.immutable,
            () => return None,
        })
    }

    /// Whether a directive concerns only the fields that its value names, which are recorded, and not the whole
    /// response. A value that is no list of names concerns the whole.
    fn is_qualified(&mut self, value: Option<Option<&[u8]>>) -> bool {
        let Some(Some(list)) = value else { return false };
        let count = members(list).count();
        if count == 0 || count + self.without.len() > MOST_WITHOUT || !members(list).all(is_token) {
            return false;
        }
        self.without.extend(members(list).map(|name| name.to_ascii_lowercase().into_boxed_slice()));
        true
    }

    /// Reads a dictionary of structured fields (RFC 9651). `None` if the field is missing, empty or invalid, and so
    /// ignored (RFC 9213, section 2.1).
    pub(super) fn targeted(fields: &Fields) -> Option<Self> {
        let mut all = lines(fields, b"cdn-cache-control");
        let mut joined = all.next()?.to_vec();
        for line in all {
            joined.extend_from_slice(b", ");
            joined.extend_from_slice(line);
        }
        let dictionary: Dictionary = Parser::new(&joined).parse().ok()?;
        if dictionary.is_empty() {
            return None;
        }
        let mut control = Self { targeted: true, ..Self::default() };
        for (name, entry) in &dictionary {
            control.take_entry(name.as_str().as_bytes(), entry);
        }
        Some(control)
    }

    fn take_entry(&mut self, name: &[u8], entry: &ListEntry) {
        match name {
            b"max-age" => self.max_age = Some(time(entry)),
            b"s-maxage" => self.s_maxage = Some(time(entry)),
            b"stale-while-revalidate" => self.stale_while_revalidate = Some(time(entry)),
            b"stale-if-error" => self.stale_if_error = Some(time(entry)),
            b"no-cache" => self.no_cache |= is_said(entry) && !self.is_qualified(names(entry)),
            b"private" => self.private |= is_said(entry) && !self.is_qualified(names(entry)),
            _ => {
                if let Some(said) = self.flag(|flag| flag == name) {
                    *said = is_said(entry);
                }
            }
        }
    }
}

fn has_pragma(fields: &Fields) -> bool {
    lines(fields, b"pragma").any(is_no_cache)
}

fn is_no_cache(pragma: &[u8]) -> bool {
    members(pragma).any(|member| member.eq_ignore_ascii_case(b"no-cache"))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Directive<'a> {
    pub(super) name: &'a [u8],
    /// The value without quotes: `None` without `=`; `Some(None)` if it is invalid: white space around the `=`, an
    /// unterminated quote, anything behind the quoted string.
    pub(super) value: Option<Option<&'a [u8]>>,
}

/// Directives in order. Text in a quoted string is never a directive.
fn directives(line: &[u8]) -> impl Iterator<Item = Directive<'_>> {
    let mut rest = line;
    // From an open quote on, quotes are ordinary bytes: what it hides may forbid, and no byte is scanned repeatedly.
    let mut has_open_quote = false;
    std::iter::from_fn(move || {
        while let [b' ' | b'\t' | b',', after @ ..] = rest {
            rest = after;
        }
        if rest.is_empty() {
            return None;
        }
        let end = memchr::memchr2(b'=', b',', rest).unwrap_or(rest.len());
        let (written, after) = rest.split_at(end);
        let name = trim(written);
        let [b'=', after @ ..] = after else {
            rest = after;
            return Some(Directive { name, value: None });
        };
        let has_space = name.len() != written.len() || matches!(after, [b' ' | b'\t', ..]);
        let text = trim_start(after);
        let quoted = text.strip_prefix(b"\"");
        let (value, after) =
            match quoted.map(|quoted| (quoted, if has_open_quote { None } else { end_of_quoted(quoted) })) {
                Some((quoted, Some(end))) => {
                    let (behind, after) = to_comma(&quoted[end + 1..]);
                    (behind.is_empty().then_some(&quoted[..end]), after)
                }
                Some(_) => {
                    has_open_quote = true;
                    (None, to_comma(text).1)
                }
                None => {
                    let (value, after) = to_comma(text);
                    (Some(value), after)
                }
            };
        rest = after;
        Some(Directive { name, value: Some(value.filter(|_| !has_space)) })
    })
}

/// Position of the quote that ends a quoted string. Escapes stay as written: no known value needs one.
fn end_of_quoted(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        match text.get(at)? {
            b'"' => return Some(at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

fn to_comma(text: &[u8]) -> (&[u8], &[u8]) {
    let (value, after) = text.split_at(memchr::memchr(b',', text).unwrap_or(text.len()));
    (trim(value), after)
}

fn trim_start(mut text: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] = text {
        text = rest;
    }
    text
}

fn item(entry: &ListEntry) -> Option<&BareItem> {
    match entry {
        ListEntry::Item(item) => Some(&item.bare_item),
        ListEntry::InnerList(_) => None,
    }
}

/// Zero if it is no number of seconds: a doubtful response is stale.
fn time(entry: &ListEntry) -> Duration {
    let Some(BareItem::Integer(seconds)) = item(entry) else { return Duration::ZERO };
    Duration::from_secs(u64::try_from(i64::from(*seconds)).unwrap_or(0)).min(LONGEST)
}

/// True for all but `=?0`: a directive with an unexpected value still counts.
fn is_said(entry: &ListEntry) -> bool {
    !matches!(item(entry), Some(BareItem::Boolean(false)))
}

fn names(entry: &ListEntry) -> Option<Option<&[u8]>> {
    match item(entry)? {
        BareItem::String(names) => Some(Some(names.as_str().as_bytes())),
        BareItem::Token(name) => Some(Some(name.as_str().as_bytes())),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
