//! The principal type is [`Arrival`]: how a request came.

use std::time::Instant;

use unladen_observability::{UpstreamIndex, Version};

use crate::peer::Peer;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) index: UpstreamIndex,
    pub(crate) version: Version,
    /// When the head's first byte was read …
    pub(crate) began: Instant,
    /// … and its last.
    pub(crate) now: Instant,
    pub(crate) peer: Peer,
}
