//! The principal type is [`Sending`]: a queued purge.

use tokio::sync::oneshot;

use crate::Position;

#[derive(Debug)]
pub(super) struct Sending {
    pub(super) record: String,
    pub(super) reply: Option<oneshot::Sender<Position>>,
}
