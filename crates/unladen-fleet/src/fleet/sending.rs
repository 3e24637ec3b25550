//! The principal type is [`Sending`].

use tokio::sync::oneshot;

use crate::Position;

/// A purge on its way to the bus.
#[derive(Debug)]
pub(super) struct Sending {
    pub(super) record: String,
    /// Who waits for its place.
    pub(super) reply: Option<oneshot::Sender<Position>>,
}
