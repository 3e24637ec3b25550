//! [`PATIENCE`]: time limit of a server's answers.

use std::time::Duration;

/// Time limit of connecting, and of an answer.
pub(super) const PATIENCE: Duration = Duration::from_secs(2);
