//! `Cache-Control` of requests ([`RequestControl`]) and of responses ([`ResponseControl`]): RFC 9111, section 5.2; RFC
//! 5861; RFC 8246; RFC 9213.

mod directives;
mod targeted;

use std::time::Duration;

use unladen_http1::Fields;

use crate::text::{is_token, lines, members, seconds};
use directives::{Directive, directives};

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
/// first counts.
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
}

fn has_pragma(fields: &Fields) -> bool {
    lines(fields, b"pragma").any(is_no_cache)
}

fn is_no_cache(pragma: &[u8]) -> bool {
    members(pragma).any(|member| member.eq_ignore_ascii_case(b"no-cache"))
}

#[cfg(test)]
mod tests;
