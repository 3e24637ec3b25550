//! [`PATIENCE`]: how long a server is waited for.

use std::time::Duration;

/// To connect, and to be answered.
pub(super) const PATIENCE: Duration = Duration::from_secs(2);
