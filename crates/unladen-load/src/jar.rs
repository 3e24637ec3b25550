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

use crate::cookies::{is_for, joined, name_of, sent_back, set_by};
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

#[cfg(test)]
mod tests;
