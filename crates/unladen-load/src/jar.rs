//! The principal type is [`Jars`]: the cookies of the users that a client simulates.
//!
//! A browser sends back the cookies it was given, and an application finds its session again. A client that does not is
//! a stranger with each request, and the application makes and abandons a session for each. There are as many users as
//! concurrent requests, and none has two under way: applications that lock a user's session would otherwise make them
//! wait for each other.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use http::HeaderMap;
use http::header::{self, HeaderValue};

use crate::request::Request;

/// Maximum cookies of one site and user: what browsers keep at least (RFC 6265, section 6.1).
const MOST_COOKIES: usize = 50;
/// Maximum bytes of a cookie (same section).
const MOST_BYTES: usize = 4096;

/// Maximum prepared requests of a user with its cookies. Without a bound each of a thousand users came to hold each of
/// a long list of URLs, of 1 kB or more.
const MOST_DRESSED: usize = 32;

/// Jars of the users without a request under way.
#[derive(Debug, Default)]
pub(crate) struct Jars {
    idle: RefCell<Vec<Jar>>,
}

#[derive(Debug, Default)]
pub(crate) struct Jar {
    cookies: Vec<Cookie>,
    /// By request index: the request with its cookies.
    dressed: HashMap<usize, Option<Arc<Request>>>,
}

#[derive(Debug)]
struct Cookie {
    /// Only this origin receives it.
    origin: usize,
    path: String,
    /// `name=value`
    pair: String,
}

impl Jars {
    pub(crate) fn take(&self) -> Jar {
        self.idle.borrow_mut().pop().unwrap_or_default()
    }

    pub(crate) fn give_back(&self, jar: Jar) {
        self.idle.borrow_mut().push(jar);
    }
}

impl Jar {
    /// The request with its cookies; `None` if there are none. Cookies that the tool's user gave stay as given.
    pub(crate) fn dress(&mut self, index: usize, origin: usize, request: &Request) -> Option<Arc<Request>> {
        if self.cookies.is_empty() {
            return None;
        }
        if let Some(dressed) = self.dressed.get(&index) {
            return dressed.clone();
        }
        let own = set_by(request.headers());
        let is_its = |cookie: &&Cookie| {
            cookie.origin == origin
                && is_for(&cookie.path, request.url().path())
                && !own.iter().any(|own| name_of(own) == name_of(&cookie.pair))
        };
        let added: Vec<String> = self.cookies.iter().filter(is_its).map(|cookie| cookie.pair.clone()).collect();
        let line = (!added.is_empty()).then(|| joined(request.headers(), &added));
        let value = line.and_then(|line| HeaderValue::try_from(line).ok());
        let dressed = value.map(|value| Arc::new(request.clone().with(header::COOKIE, value)));
        if self.dressed.len() >= MOST_DRESSED {
            self.dressed.clear();
        }
        self.dressed.insert(index, dressed.clone());
        dressed
    }

    pub(crate) fn keep(&mut self, origin: usize, request: &Request, answer: &HeaderMap) {
        if !answer.contains_key(header::SET_COOKIE) {
            return;
        }
        for set in sent_back(answer, request.url().path()) {
            let is_same = |cookie: &Cookie| {
                cookie.origin == origin && cookie.path == set.path && name_of(&cookie.pair) == name_of(&set.pair)
            };
            let before = self.cookies.iter().position(is_same);
            if set.is_gone {
                before.map(|at| self.cookies.remove(at));
            } else if set.pair.len() <= MOST_BYTES {
                let new = Cookie { origin, path: set.path, pair: set.pair };
                let full = self.cookies.len() >= MOST_COOKIES;
                match before.and_then(|at| self.cookies.get_mut(at)) {
                    Some(cookie) if cookie.pair == new.pair => continue,
                    Some(cookie) => *cookie = new,
                    None if full => continue,
                    None => self.cookies.push(new),
                }
            }
            self.dressed.clear();
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SetCookie {
    /// `name=value`
    pub(crate) pair: String,
    /// Path prefix that it is for: its attribute, else from the request's path (RFC 6265, sections 5.1.4 and 5.2.4).
    pub(crate) path: String,
    pub(crate) is_gone: bool,
}

/// Cookies that an answer to a request of this path sets or deletes. Of one that is named twice, the last counts.
///
/// Domain and `Secure` are ignored: cookies return only to the origin that set them, which may be behind a proxy that
/// does TLS.
pub(crate) fn sent_back(headers: &HeaderMap, path: &str) -> Vec<SetCookie> {
    let mut all: Vec<SetCookie> = Vec::new();
    for value in headers.get_all(header::SET_COOKIE) {
        let Ok(text) = value.to_str() else { continue };
        let mut parts = text.split(';').map(str::trim);
        let Some(pair) = parts.next().filter(|pair| !name_of(pair).is_empty()) else { continue };
        let attributes: Vec<&str> = parts.collect();
        let told = attributes.iter().rev().find_map(|attribute| value_of(attribute, "path"));
        let folder = told.filter(|told| told.starts_with('/')).unwrap_or_else(|| folder_of(path));
        let set = SetCookie {
            pair: pair.to_owned(),
            path: folder.to_owned(),
            is_gone: attributes.iter().any(|attribute| takes_away(attribute)),
        };
        all.retain(|other| name_of(&other.pair) != name_of(pair) || other.path != set.path);
        all.push(set);
    }
    all
}

/// The pairs `name=value` of cookies that this answer sets, whatever their path: the same page is requested again.
pub(crate) fn pairs(headers: &HeaderMap) -> Vec<String> {
    let mut pairs: Vec<String> = Vec::new();
    for set in sent_back(headers, "/") {
        pairs.retain(|other| name_of(other) != name_of(&set.pair));
        if !set.is_gone {
            pairs.push(set.pair);
        }
    }
    pairs
}

/// Whether a cookie of this path prefix is for that path (RFC 6265, section 5.1.4).
pub(crate) fn is_for(folder: &str, path: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || folder.ends_with('/') || rest.starts_with('/'))
}

pub(crate) fn set_by(headers: &HeaderMap) -> Vec<&str> {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    lines.flat_map(|line| line.split(';')).map(str::trim).filter(|pair| !pair.is_empty()).collect()
}

/// Header `Cookie` with these pairs added; they replace those of the same name.
pub(crate) fn joined(own: &HeaderMap, added: &[String]) -> String {
    let kept = set_by(own).into_iter().filter(|pair| !added.iter().any(|other| name_of(other) == name_of(pair)));
    kept.chain(added.iter().map(String::as_str)).collect::<Vec<_>>().join("; ")
}

pub(crate) fn name_of(pair: &str) -> &str {
    pair.split_once('=').map_or("", |(name, _)| name.trim())
}

/// Directory of a path, without the slash at its end.
fn folder_of(path: &str) -> &str {
    match path.rfind('/') {
        Some(end) if end > 0 => path.get(..end).unwrap_or("/"),
        _ => "/",
    }
}

fn value_of<'a>(attribute: &'a str, name: &str) -> Option<&'a str> {
    let (own, value) = attribute.split_once('=')?;
    own.trim().eq_ignore_ascii_case(name).then(|| value.trim())
}

/// Whether this attribute deletes the cookie. Applications that use `Expires` for that set the epoch, or nearly.
fn takes_away(attribute: &str) -> bool {
    let Some((name, value)) = attribute.split_once('=') else { return false };
    let (name, value) = (name.trim(), value.trim());
    if name.eq_ignore_ascii_case("max-age") {
        return value.parse::<i64>().is_ok_and(|seconds| seconds <= 0);
    }
    name.eq_ignore_ascii_case("expires") && value.split([' ', '-']).any(|word| word == "1970")
}

#[cfg(test)]
mod tests;
