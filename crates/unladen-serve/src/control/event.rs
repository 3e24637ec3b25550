//! The principal type is [`Event`]: what the control thread reacts to.

use super::handover::Successor;

#[derive(Debug)]
pub(super) enum Event {
    /// SIGTERM or SIGINT.
    Stop,
    /// SIGHUP.
    Reload,
    /// SIGUSR2.
    HandOver,
    /// Something changed in a watched folder.
    FileChanged,
    Began,
    Ended {
        thread: usize,
    },
    Successor(Result<Successor, String>),
}
