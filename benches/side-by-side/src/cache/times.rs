//! How long the cases measure, and what comes before.

use std::time::Duration;

/// Before what counts: memory is had, threads are there.
pub(super) const WARM_UP: Duration = Duration::from_millis(500);
pub(super) const TIME: Duration = Duration::from_secs(2);
