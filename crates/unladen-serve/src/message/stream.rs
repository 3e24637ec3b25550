//! Bodies on their way: where they come from ([`BodySource`]), where they go to ([`Sink`]), and what carries them over
//! ([`Pump`]). Most keep no more than one block, so a slow end holds up the other. HTTP/2 is bounded by its client's
//! share, a coding by its window; and a [`Relay`] spools what a slow client does not take as `[buffer]` says.

mod coded_sink;
mod fastcgi_source;
mod file_source;
mod h1_sink;
mod h2_sink;
mod plain_sink;
mod pump;
mod relay;
mod send_file;
mod sink;
mod sink_error;
mod source;
mod source_error;
mod spooled;

pub(crate) use coded_sink::CodedSink;
pub(crate) use fastcgi_source::{FastCgiSource, Output};
pub(crate) use file_source::{FileSource, Piece, read_now};
pub(crate) use h1_sink::H1Sink;
pub(crate) use h2_sink::H2Sink;
pub(crate) use plain_sink::PlainSink;
pub(crate) use pump::{Pump, PumpError};
pub(crate) use relay::{Relay, Relayed};
pub(crate) use sink::Sink;
pub(crate) use sink_error::SinkError;
pub(crate) use source::{BodySource, FetchSource, Guard, H1Source, H2Source};
pub(crate) use source_error::SourceError;
pub(crate) use spooled::SpoolSource;

#[cfg(test)]
mod tests;
