//! The principal type is [`Arrival`]: how a request came, whoever answers it.

use std::time::Instant;

use unladen_observability::{UpstreamIndex, Version};

use crate::peer::Peer;

/// How a request came.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    /// Under whose name it counts.
    pub(crate) index: UpstreamIndex,
    pub(crate) version: Version,
    /// When the head's first byte was read …
    pub(crate) began: Instant,
    /// … and its last.
    pub(crate) now: Instant,
    pub(crate) peer: Peer,
}
