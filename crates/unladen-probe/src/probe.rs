//! The principal type is [`Probe`]: a source of cumulative counters.

pub use crate::probes::PROBES;

use std::path::PathBuf;

use crate::cgroup::Hierarchy;
use crate::group::Groups;
use crate::ledger::{Counter, CounterId, Ledger};
use crate::process::ProcessTable;
use crate::procfs::{ProbeError, ProcFs};

/// Makes a probe whose counters have the given ids; the error says why there is nothing to count.
pub(crate) type Open = fn(&mut Surroundings<'_>, Vec<CounterId>) -> Result<Box<dyn Probe>, String>;

/// An entry of the list [`PROBES`].
pub struct ProbeEntry {
    /// docs/reference/probes/NAME.md describes it.
    pub name: &'static str,
    /// Half a line on what it counts.
    pub about: &'static str,
    /// In the order in which [`open`](Self::open) gets their ids.
    pub counters: &'static [Counter],
    pub open: Open,
}

/// Reads counters at the edges of phases.
pub trait Probe: Send {
    /// Adds counts since the last call to the ledger; the first call sets the starting point. Fails only if further
    /// measuring is pointless; a vanished process is not an error.
    fn read(&mut self, scene: &mut Scene<'_>, ledger: &mut Ledger) -> Result<(), ProbeError>;

    /// What was unavailable so far.
    fn shortfall(&self) -> Option<Shortfall> {
        None
    }
}

/// What a probe gets when it is opened.
pub struct Surroundings<'a> {
    pub(crate) procfs: &'a mut ProcFs,
    pub(crate) hierarchy: Option<&'a Hierarchy>,
    /// Whether exit records of short-lived processes arrive.
    pub(crate) has_exit_records: bool,
    /// Whether other users' processes may be examined (CAP_SYS_PTRACE).
    pub(crate) may_trace: bool,
}

/// What a probe gets at each reading.
pub struct Scene<'a> {
    pub(crate) procfs: &'a mut ProcFs,
    pub(crate) table: &'a ProcessTable,
    pub(crate) groups: &'a Groups,
}

/// Something not counted here, and what would change that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shortfall {
    /// Such as "disk and read/write counts of other users' processes".
    pub missing: &'static str,
    /// Such as "root".
    pub takes: &'static str,
}

pub(crate) fn proc_path(procfs: &ProcFs, name: &str) -> PathBuf {
    procfs.root().join(name)
}
