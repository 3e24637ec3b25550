//! HTTP for the machine itself. The principal type is [`Listener`], which [`serve`] answers at: the admin address of
//! `unladen serve`, and the pages of `unladen runs serve`.
//!
//! It listens on loopback or a Unix socket. A page of the web could still make a browser on this machine ask, under a
//! name that its owner lets lead to 127.0.0.1 (DNS rebinding): whoever asks under a name that is not the machine's own
//! is refused ([`is_local`]). Connections, heads and times are bounded.
//!
//! ```
//! use unladen_local::{is_local, response, TEXT};
//!
//! assert!(is_local("localhost:9901") && !is_local("evil.example"));
//! let answer = response(hyper::StatusCode::OK, TEXT, "ok\n");
//! assert_eq!(answer.headers()["x-content-type-options"], "nosniff");
//! ```
#![forbid(unsafe_code)]

mod answer;
mod connections;
mod listener;
mod local;

pub use answer::{HTML, JSON, TEXT, not_allowed, response, with};
pub use hyper::body::Incoming;
pub use listener::{CONNECTIONS, HEAD, HEAD_BYTES, Listener, serve};
pub use local::is_local;

#[cfg(test)]
mod tests;
