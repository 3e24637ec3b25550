//! The principal type is [`Instrument`]: all probes behind one call.

use std::time::{Duration, Instant};

use crate::cgroup::Hierarchy;
use crate::group::{Group, GroupBy, Groups};
use crate::ledger::{Counter, CounterId, GroupId, Ledger, Reading};
use crate::own::Own;
use crate::probe::{PROBES, Probe, Scene, Shortfall, Surroundings};
use crate::process::ProcessTable;
use crate::procfs::{ProbeError, ProcFs, monotonic_ns, thread_cpu_ns};
use crate::taskstats::Listener;

/// The cost of a reading is the median of these.
const CALIBRATION_READS: usize = 5;

/// Pause between them: directly after another, a reading finds everything cached and nothing has run.
const CALIBRATION_PAUSE: Duration = Duration::from_millis(60);

/// The cost of one reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadCost {
    pub cpu: Duration,
    pub wall: Duration,
}

/// A process of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    pub pid: i32,
    pub parent: i32,
}

/// Reads all probes.
pub struct Instrument {
    procfs: ProcFs,
    groups: Groups,
    table: ProcessTable,
    listener: Option<Listener>,
    ledger: Ledger,
    probes: Vec<(&'static str, Box<dyn Probe>)>,
    unavailable: Vec<(&'static str, String)>,
    /// By the monotonic clock.
    started_ns: u64,
    cpu_ns: u64,
    lost_so_far: u64,
}

/// Whether the effective capabilities in /proc/self/status include CAP_SYS_PTRACE.
fn may_trace(status: &[u8]) -> bool {
    const CAP_SYS_PTRACE: u32 = 19;
    let line = status.split(|&byte| byte == b'\n').find_map(|line| line.strip_prefix(b"CapEff:"));
    let mask = line.and_then(|hex| u64::from_str_radix(std::str::from_utf8(hex).ok()?.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> CAP_SYS_PTRACE & 1 == 1)
}

impl Instrument {
    /// Opens every probe that this system supports, and takes the first reading, which costs more than later ones as it
    /// examines all processes. Fails if /proc is unreadable.
    pub fn open(by: GroupBy) -> Result<Self, ProbeError> {
        Self::open_with(by, Own::new())
    }

    /// Like [`open`](Self::open), with other processes that count as Unladen's own.
    pub fn open_with(by: GroupBy, own: Own) -> Result<Self, ProbeError> {
        Self::open_at("/proc", by, own)
    }

    fn open_at(root: &str, by: GroupBy, own: Own) -> Result<Self, ProbeError> {
        let mut procfs = ProcFs::new(root);
        let hierarchy = procfs.file("self/mountinfo").ok().and_then(Hierarchy::parse);
        let may_trace = procfs.file("self/status").is_ok_and(may_trace);
        let listener = procfs
            .absolute("/sys/devices/system/cpu/possible".as_ref())
            .ok()
            .and_then(|cpus| String::from_utf8(cpus.to_vec()).ok())
            .and_then(|cpus| Listener::open(&cpus).ok());
        let mut ledger = Ledger::default();
        let mut probes = Vec::new();
        let mut unavailable = Vec::new();
        for entry in PROBES {
            let ids = entry.counters.iter().map(|counter| ledger.register(*counter)).collect();
            let mut surroundings = Surroundings {
                procfs: &mut procfs,
                hierarchy: hierarchy.as_ref(),
                has_exit_records: listener.is_some(),
                may_trace,
            };
            match (entry.open)(&mut surroundings, ids) {
                Ok(probe) => probes.push((entry.name, probe)),
                Err(why) => unavailable.push((entry.name, why)),
            }
        }
        let own_pid = i32::try_from(std::process::id()).unwrap_or_default();
        let mut instrument = Self {
            procfs,
            groups: Groups::new(by, own_pid, may_trace).with_own(own),
            table: ProcessTable::new(),
            listener,
            ledger,
            probes,
            unavailable,
            started_ns: monotonic_ns(),
            cpu_ns: 0,
            lost_so_far: 0,
        };
        instrument.read()?;
        Ok(instrument)
    }

    /// Reads all counters. Fails if the system's files are unreadable or differ from the documented format.
    pub fn read(&mut self) -> Result<Reading, ProbeError> {
        let cpu_before = thread_cpu_ns();
        self.table.look(&mut self.procfs, &mut self.groups, self.listener.as_mut())?;
        // A reading is dated when the processes' clocks have been read; files follow.
        let at_ns = monotonic_ns().saturating_sub(self.started_ns);
        for (_, probe) in &mut self.probes {
            let mut scene = Scene { procfs: &mut self.procfs, table: &self.table, groups: &self.groups };
            probe.read(&mut scene, &mut self.ledger)?;
        }
        self.cpu_ns += thread_cpu_ns().saturating_sub(cpu_before);
        Ok(self.ledger.snapshot(at_ns))
    }

    /// When it was opened, in ns of the monotonic clock; times of readings count from then.
    pub fn started_ns(&self) -> u64 {
        self.started_ns
    }

    /// Measures the cost of a reading by taking a few. Fails as [`read`](Self::read) does.
    pub fn calibrate(&mut self) -> Result<ReadCost, ProbeError> {
        let mut costs = Vec::with_capacity(CALIBRATION_READS);
        for _ in 0..CALIBRATION_READS {
            std::thread::sleep(CALIBRATION_PAUSE);
            let (cpu, begun) = (self.cpu_ns, Instant::now());
            self.read()?;
            costs.push((Duration::from_nanos(self.cpu_ns - cpu), begun.elapsed()));
        }
        costs.sort_unstable();
        let (cpu, wall) = costs[CALIBRATION_READS / 2];
        Ok(ReadCost { cpu, wall })
    }

    /// On-CPU time of all readings so far.
    pub fn own_cpu(&self) -> Duration {
        Duration::from_nanos(self.cpu_ns)
    }

    /// Number of losses of exit records since the last call; counts of that time are incomplete.
    pub fn newly_lost(&mut self) -> u64 {
        let lost = self.listener.as_ref().map_or(0, Listener::lost);
        lost - std::mem::replace(&mut self.lost_so_far, lost)
    }

    /// The group with this id.
    pub fn group(&self, id: GroupId) -> &Group {
        self.groups.get(id)
    }

    /// All groups seen so far.
    pub fn groups(&self) -> impl Iterator<Item = (GroupId, &Group)> {
        self.groups.all().iter().zip(0..).map(|(group, index)| (GroupId(index), group))
    }

    /// The processes of a group, as of the last reading.
    pub fn members(&self, group: GroupId) -> impl Iterator<Item = Member> {
        self.table
            .living()
            .filter(move |process| process.group == group)
            .map(|process| Member { pid: process.pid, parent: process.stat.ppid })
    }

    /// The counter with this id.
    pub fn counter(&self, id: CounterId) -> &Counter {
        &self.ledger.counters()[id.index()]
    }

    /// The counter of that name.
    pub fn counter_named(&self, name: &str) -> Option<CounterId> {
        self.counters().iter().zip(0..).find(|(counter, _)| counter.name == name).map(|(_, index)| CounterId(index))
    }

    /// All counters, by [`CounterId::index`].
    pub fn counters(&self) -> &[Counter] {
        self.ledger.counters()
    }

    /// What could not be counted here, and what that would take.
    pub fn shortfalls(&self) -> Vec<Shortfall> {
        let exe = self.groups.some_exe_hidden.then_some(Shortfall {
            missing: "executables of other users' processes (grouped by their short names)",
            takes: "root",
        });
        self.probes.iter().filter_map(|(_, probe)| probe.shortfall()).chain(exe).collect()
    }

    /// Probes that this system does not support, and why.
    pub fn unavailable(&self) -> &[(&'static str, String)] {
        &self.unavailable
    }
}

#[cfg(test)]
mod tests;
