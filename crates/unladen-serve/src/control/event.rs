//! The principal type is [`Event`]: what the control thread reacts to.

use super::handover::Successor;

/// What the control thread reacts to.
#[derive(Debug)]
pub(super) enum Event {
    /// SIGTERM or SIGINT.
    Stop,
    /// SIGHUP.
    Reload,
    /// SIGUSR2.
    HandOver,
    /// Something happened in the folder of the configuration.
    FileChanged,
    /// A thread that carries requests has begun.
    Began,
    Ended {
        /// Its number.
        thread: usize,
    },
    /// The process that is to go on serves, or does not.
    Successor(Result<Successor, String>),
}
