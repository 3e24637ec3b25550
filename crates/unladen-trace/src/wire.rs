//! Traffic of connections, from the asking side. The principal functions are [`recognise`], and the decoders of
//! [`postgres`] and [`mysql`].
//!
//! A tracer keeps only beginnings of what was sent and ends of what was received ([`MAX_PAYLOAD`](crate::MAX_PAYLOAD),
//! [`MAX_TAIL`](crate::MAX_TAIL)). Holes are skipped by known lengths, and decoders resynchronise at the next send.

pub mod dns;
pub mod fastcgi;
pub mod http;
pub mod memcached;
pub mod mysql;
pub mod postgres;
mod prepared;
mod reader;
mod recognise;
pub mod redis;
pub mod syslog;
pub mod tls;

pub use prepared::Statement;
pub use recognise::recognise;

#[cfg(test)]
pub(crate) mod tests;
