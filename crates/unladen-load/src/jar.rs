//! The principal type is [`Jars`]: the cookies of the users that a client stands for.
//!
//! A browser sends back what it was given, and an application that gave it a session finds it again. A client that does
//! not is a stranger with each request: the application makes a session for each, and leaves it lying there. As many
//! users are there as requests are under way at once, and none has two under way: applications that lock a user's
//! session would else let them wait for each other.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use http::HeaderMap;
use http::header::{self, HeaderValue};

use crate::cookies::{is_for, joined, name_of, sent_back, set_by};
use crate::request::Request;

/// Cookies of one site that a user keeps at most: what browsers keep at least (RFC 6265, section 6.1).
const MOST_COOKIES: usize = 50;
/// Bytes of one of them, at most (the same).
const MOST_BYTES: usize = 4096;

/// Requests that a user has ready with its cookies, at most. Without a bound each of a thousand users came to hold each of
/// a long list of URLs, of 1 kB or more.
const MOST_DRESSED: usize = 32;

/// The jars of those users who have no request under way.
#[derive(Debug, Default)]
pub(crate) struct Jars {
    idle: RefCell<Vec<Jar>>,
}

/// The cookies of one user.
#[derive(Debug, Default)]
pub(crate) struct Jar {
    cookies: Vec<Cookie>,
    /// By the index of a request: the same with the cookies that are for it.
    dressed: HashMap<usize, Option<Arc<Request>>>,
}

#[derive(Debug)]
struct Cookie {
    /// The origin that gave it, which alone is given it back.
    origin: usize,
    /// The folder of paths that it is for.
    path: String,
    /// `name=value`
    pair: String,
}

impl Jars {
    /// That of the user whose request ended last; a new user's, if all have one under way.
    pub(crate) fn take(&self) -> Jar {
        self.idle.borrow_mut().pop().unwrap_or_default()
    }

    /// Its request has ended.
    pub(crate) fn give_back(&self, jar: Jar) {
        self.idle.borrow_mut().push(jar);
    }
}

impl Jar {
    /// The request with the cookies that are for it; none if there is none. What the user of this program gave stays as
    /// given.
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

    /// Keeps what an answer to that request sets, and forgets what it takes away.
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
