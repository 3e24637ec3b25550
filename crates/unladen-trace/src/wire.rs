//! What goes over connections, read from the side that asks. The principal functions are [`recognise`], and the
//! decoders of [`postgres`] and [`mysql`].
//!
//! All of it is read from what a tracer keeps ([`MAX_PAYLOAD`](crate::MAX_PAYLOAD), [`MAX_TAIL`](crate::MAX_TAIL)): the
//! beginnings of what was sent, the ends of what was received. Holes are skipped by the lengths that are known, and
//! what cannot be followed is found again at the next send.

pub mod dns;
pub mod fastcgi;
pub mod http;
mod json;
mod kept;
pub mod memcached;
pub mod mysql;
pub mod postgres;
mod prepared;
mod reader;
mod recognise;
pub mod redis;
mod statement;
pub mod syslog;
pub mod tls;

pub use recognise::recognise;
pub use statement::Statement;

#[cfg(test)]
pub(crate) mod tests;
