//! The principal type is [`AgentError`]: why an agent ended otherwise than requested.

use std::time::Duration;

use crate::codec::CodecError;
use crate::frame::FrameError;
use crate::hello::PROTOCOL;

/// An agent that hears nothing for this long ends: the other side sends something each ten seconds.
pub(super) const SILENCE: Duration = Duration::from_secs(60);

/// Why an agent ended otherwise than requested.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    #[error("{0}")]
    Frame(#[from] FrameError),
    #[error("a frame holds no message of protocol {PROTOCOL}: {0}")]
    Codec(#[from] CodecError),
    #[error(
        "what came first is no hello: `unladen weigh --host` and `unladen load --from` start an agent and speak to it"
    )]
    NoHello,
    #[error("unladen {theirs} with protocol {protocol} started this agent, which is unladen {} with protocol {PROTOCOL}: install the same version on both", env!("CARGO_PKG_VERSION"))]
    Version { theirs: String, protocol: u32 },
    #[error("nothing came for {SILENCE:?}: the connection is broken")]
    Silence,
}
