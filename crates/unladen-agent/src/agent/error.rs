//! The principal type is [`AgentError`]: why an agent ended otherwise than asked to.

use std::time::Duration;

use crate::codec::CodecError;
use crate::frame::FrameError;
use crate::hello::PROTOCOL;

/// An agent that hears nothing for that long ends: whoever started it sends something each ten seconds.
pub(super) const SILENCE: Duration = Duration::from_secs(60);

/// Why an agent ended otherwise than asked to.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// The pipe failed.
    #[error("{0}")]
    Frame(#[from] FrameError),
    /// A message is none.
    #[error("a frame holds no message of protocol {PROTOCOL}: {0}")]
    Codec(#[from] CodecError),
    /// What came first is no hello.
    #[error(
        "what came first is no hello: `unladen weigh --host` and `unladen load --from` start an agent and speak to it"
    )]
    NoHello,
    /// The other side speaks otherwise.
    #[error("unladen {theirs} with protocol {protocol} started this agent, which is unladen {} with protocol {PROTOCOL}: install the same version on both", env!("CARGO_PKG_VERSION"))]
    Version {
        /// Of the program there.
        theirs: String,
        /// Of its frames.
        protocol: u32,
    },
    /// Nothing came for a minute.
    #[error("nothing came for {SILENCE:?}: the connection is broken")]
    Silence,
}
