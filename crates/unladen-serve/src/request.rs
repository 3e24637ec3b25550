//! What is known of a request under way, and its time limits.

pub(crate) mod fetched;
pub(crate) mod phase;
pub(crate) mod said;
pub(crate) mod state;
pub(crate) mod stretch;
pub(crate) mod watch;
