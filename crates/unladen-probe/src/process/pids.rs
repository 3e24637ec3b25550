//! The principal type is [`Pids`]: the process ids to examine.
//!
//! Listing /proc costs more than asking all processes for their clocks, as the kernel looks up a directory entry for
//! each. But the kernel assigns ids in ascending order and reports the latest in /proc/loadavg. So most looks ask the
//! known processes and the ids assigned since, and /proc is listed only now and then.

use std::time::{Duration, Instant};

use nix::unistd::{getpid, gettid};

use crate::error::ProbeError;
use crate::procfs::ProcFs;

/// One look in this many lists /proc in any case: users that choose ids (clone3(2) with `set_tid`, as CRIU does) need
/// not keep to the order.
const LISTED_EVERY: u32 = 16;

/// After a longer time ids may have wrapped: with as few ids as Linux ever has, 32,768, that takes 16,000 new ones a
/// second.
const LONGEST_GAP: Duration = Duration::from_secs(2);

/// Asking for the clock of an unused id costs about a sixth of listing a process.
const IDS_FOR_A_LISTED_PROCESS: usize = 4;

#[derive(Debug, Clone, Copy)]
struct Mark {
    latest: i32,
    at: Instant,
}

#[derive(Debug, Default)]
pub(crate) struct Pids {
    /// The last two looks. A process gets its id some microseconds before it can be asked for anything, so the ids
    /// of the last look are asked for once more.
    marks: [Option<Mark>; 2],
    looks_since_listing: u32,
}

impl Pids {
    /// Puts ids into `pids`, each once, including all processes and many unused ids. `known` tells whether one was
    /// there at the last look; `pids` then already holds them. Fails if /proc cannot be listed.
    pub(crate) fn find(
        &mut self,
        procfs: &mut ProcFs,
        at: Instant,
        pids: &mut Vec<i32>,
        known: impl Fn(i32) -> bool,
    ) -> Result<(), ProbeError> {
        // Before listing: processes that begin meanwhile have later ids, for the next look.
        let now = latest(procfs).map(|latest| Mark { latest, at });
        let since = now.zip(self.marks[0]).and_then(|(now, since)| new_ids(since, now, pids.len()));
        self.marks = [self.marks[1], now];
        match since {
            Some(ids) if self.looks_since_listing + 1 < LISTED_EVERY => {
                self.looks_since_listing += 1;
                // Only the calling thread can be asked by its own id too, and answers for its process.
                let own_thread = Some(gettid()).filter(|tid| *tid != getpid()).map(nix::unistd::Pid::as_raw);
                pids.extend(ids.filter(|&id| !known(id) && Some(id) != own_thread));
            }
            _ => {
                self.looks_since_listing = 0;
                pids.clear();
                procfs.pids(|pid| pids.push(pid))?;
            }
        }
        Ok(())
    }
}

/// The ids assigned between two marks, if that is certain and asking for all of them is worth it.
fn new_ids(since: Mark, now: Mark, known: usize) -> Option<std::ops::RangeInclusive<i32>> {
    let ids = usize::try_from(now.latest.checked_sub(since.latest)?).ok()?;
    let is_certain = now.at.saturating_duration_since(since.at) <= LONGEST_GAP;
    (is_certain && ids <= known * IDS_FOR_A_LISTED_PROCESS).then_some(since.latest + 1..=now.latest)
}

/// The id assigned last: the fifth field of /proc/loadavg (proc_loadavg(5)).
fn latest(procfs: &mut ProcFs) -> Option<i32> {
    let content = procfs.file("loadavg").ok()?;
    std::str::from_utf8(content).ok()?.split_ascii_whitespace().nth(4)?.parse().ok()
}

#[cfg(test)]
mod tests;
