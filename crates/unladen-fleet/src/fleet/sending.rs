//! The principal type is [`Sending`]: a queued purge.

use tokio::sync::oneshot;

use crate::Position;

/// A purge on its way to the bus.
#[derive(Debug)]
pub(super) struct Sending {
    pub(super) record: String,
    /// Receives its position.
    pub(super) reply: Option<oneshot::Sender<Position>>,
}
