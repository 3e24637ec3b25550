//! What is known of a request while it is under way, and the time that it has.

pub(crate) mod fetched;
pub(crate) mod phase;
pub(crate) mod said;
pub(crate) mod state;
pub(crate) mod stretch;
pub(crate) mod watch;
