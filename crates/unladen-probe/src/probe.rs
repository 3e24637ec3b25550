//! The principal type is [`Probe`]: a source of cumulative counters.

use std::path::PathBuf;

use crate::cgroup::Hierarchy;
use crate::counter::Counter;
use crate::error::ProbeError;
use crate::group::Groups;
use crate::ledger::{CounterId, Ledger};
use crate::process::ProcessTable;
use crate::procfs::ProcFs;

pub use crate::probes::PROBES;

/// Makes a probe whose counters have the given ids; the error says why there is nothing to count.
pub(crate) type Open = fn(&mut Surroundings<'_>, Vec<CounterId>) -> Result<Box<dyn Probe>, String>;

/// A line of the list [`PROBES`].
pub struct ProbeEntry {
    /// Its name; docs/reference/probes/NAME.md describes it.
    pub name: &'static str,
    /// What it counts, in half a line.
    pub about: &'static str,
    /// Its counters, in the order in which [`open`](Self::open) is given their ids.
    pub counters: &'static [Counter],
    /// Makes it.
    pub open: Open,
}

/// Reads counters at the edges of phases.
pub trait Probe: Send {
    /// Adds to the ledger what was counted since the call before; the first call finds the starting point.
    ///
    /// # Errors
    /// Only what makes further measuring pointless; a process that vanished meanwhile is not an error.
    fn read(&mut self, scene: &mut Scene<'_>, ledger: &mut Ledger) -> Result<(), ProbeError>;

    /// What it had to do without so far.
    fn shortfall(&self) -> Option<Shortfall> {
        None
    }
}

/// What a probe finds when it is opened.
pub struct Surroundings<'a> {
    pub(crate) procfs: &'a mut ProcFs,
    pub(crate) hierarchy: Option<&'a Hierarchy>,
    /// Whether exit records of short-lived processes come in.
    pub(crate) has_exit_records: bool,
    /// Whether other users' processes may be looked into (CAP_SYS_PTRACE).
    pub(crate) may_trace: bool,
}

/// What a probe sees at each reading.
pub struct Scene<'a> {
    pub(crate) procfs: &'a mut ProcFs,
    pub(crate) table: &'a ProcessTable,
    pub(crate) groups: &'a Groups,
}

/// Something not counted here, and what would change that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shortfall {
    /// What is missing, such as "disk and read/write counts of other users' processes".
    pub missing: &'static str,
    /// What it takes, such as "root".
    pub takes: &'static str,
}

/// The path of a kernel file, for messages.
pub(crate) fn proc_path(procfs: &ProcFs, name: &str) -> PathBuf {
    procfs.root().join(name)
}
