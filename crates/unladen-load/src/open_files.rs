//! [`suffice`]: whether enough connections can be open at once. A missing descriptor during a run looks like a fault of
//! the server.

use std::sync::OnceLock;

use nix::sys::resource::{Resource, getrlimit, setrlimit};

use crate::error::LoadError;

/// Files that a command has open besides connections: libraries, counters, records.
const OTHERS: u64 = 64;

/// Soft limit before it was raised.
static BEFORE: OnceLock<u64> = OnceLock::new();

/// Limit of open files before [`Driver`](crate::Driver) raised it; `None` if it was not raised. Child processes should
/// have this limit: some take seconds to close as many files as may be open, and those that use `select(2)` break above
/// 1,024.
pub fn open_files_before() -> Option<u64> {
    BEFORE.get().copied()
}

/// Raises the soft limit, which is 1,024 almost everywhere for the sake of old programs, as far as needed and allowed.
pub(crate) fn suffice(concurrency: usize) -> Result<(), LoadError> {
    let needs = u64::try_from(concurrency).unwrap_or(u64::MAX).saturating_add(OTHERS);
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else { return Ok(()) };
    if soft >= needs {
        return Ok(());
    }
    if hard >= needs && setrlimit(Resource::RLIMIT_NOFILE, needs, hard).is_ok() {
        // Only the first value is the limit at the program's start.
        let _ = BEFORE.set(soft);
        return Ok(());
    }
    verdict(concurrency, soft.max(hard))
}

fn verdict(concurrency: usize, limit: u64) -> Result<(), LoadError> {
    let most = limit.saturating_sub(OTHERS);
    if u64::try_from(concurrency).is_ok_and(|wanted| wanted <= most) {
        return Ok(());
    }
    Err(LoadError::TooFewFiles { concurrency, limit, most })
}

#[cfg(test)]
mod tests;
