//! The clock that server and bench share.

use nix::time::{ClockId, clock_gettime};

use crate::Result;

/// `CLOCK_MONOTONIC` in ns.
pub(crate) fn now() -> Result<u64> {
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC)?;
    Ok(u64::try_from(now.tv_sec())? * 1_000_000_000 + u64::try_from(now.tv_nsec())?)
}
