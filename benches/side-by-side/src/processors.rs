//! The principal type is [`Processors`]: one for what is measured, another for who calls it.

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;

use crate::Result;

/// While it is there, this process and those that it starts have another processor than the contestants.
pub(crate) struct Processors {
    before: CpuSet,
    /// The contestants'.
    pub(crate) theirs: usize,
}

impl Processors {
    /// The first for us, the last for them; where there is one, it is both.
    pub(crate) fn divide() -> Result<Self> {
        let before = sched_getaffinity(Pid::from_raw(0))?;
        let mut all = (0..CpuSet::count()).filter(|cpu| before.is_set(*cpu).unwrap_or(false));
        let own = all.next().ok_or("there is no processor")?;
        let theirs = all.next_back().unwrap_or(own);
        if own == theirs {
            println!("  (one processor for all: who calls and who is called take turns)");
        }
        let mut set = CpuSet::new();
        set.set(own)?;
        sched_setaffinity(Pid::from_raw(0), &set)?;
        Ok(Self { before, theirs })
    }
}

impl Drop for Processors {
    fn drop(&mut self) {
        // It fails if they have been taken away since, and then there is nothing to be restored.
        let _ = sched_setaffinity(Pid::from_raw(0), &self.before);
    }
}
