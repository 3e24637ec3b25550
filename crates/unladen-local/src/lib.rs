//! HTTP for the machine itself. The principal type is [`Listener`], which [`serve`] answers on: the admin address of
//! `unladen serve`, and the pages of `unladen runs serve`.
//!
//! It listens on loopback or a Unix socket. A web page could still make a local browser send requests, under a name
//! that its owner points to 127.0.0.1 (DNS rebinding): requests under names that are not the machine's own are refused
//! ([`is_local`]). Connections, heads and times are bounded.
//!
//! ```
//! use unladen_local::{is_local, response, TEXT};
//!
//! assert!(is_local("localhost:9901") && !is_local("evil.example"));
//! let answer = response(hyper::StatusCode::OK, TEXT, "ok\n");
//! assert_eq!(answer.headers()["x-content-type-options"], "nosniff");
//! ```
#![forbid(unsafe_code)]

mod listener;
mod local;

pub use hyper::body::Incoming;
pub use listener::{CONNECTIONS, HEAD, HEAD_BYTES, Listener, serve};
pub use local::{HTML, JSON, TEXT, is_local, not_allowed, response, with};

#[cfg(test)]
mod tests;
