//! The principal type is [`Tracer`]. [`calibrate`] measures what tracing adds to the time of each call; [`ports_of`]
//! are the listening ports, which tell accepted connections from outgoing ones.

use std::collections::HashSet;
use std::fs;
use std::hash::Hash;
use std::path::Path;
use std::sync::{Arc, Mutex};

use libbpf_rs::{MapCore, MapFlags};
use nix::libc;
use unladen_trace::{Batch, EvidenceSource, Missing};

use crate::tcp_table::listening_sockets;
use crate::trace::counts::{Counts, Key, WatchedEntry, lookup};
use crate::trace::drain::Drain;
use crate::trace::functions::Functions;
use crate::trace::kernel::Kernel;
use crate::trace::object::require;
use crate::trace::record::NOBODY;
use crate::trace::{TraceError, TracerConfig, Watched};

/// Follows processes. Nothing stays attached after it is dropped or this process is killed.
#[derive(Debug)]
pub struct Tracer {
    // Dropped in this order: first the source of events, then their reader.
    kernel: Kernel,
    drain: Drain,
    functions: Arc<Mutex<Functions>>,
    counts: Counts,
    left_out: u64,
    overhead_ns: u64,
}

impl Tracer {
    /// Loads and attaches the kernel's part, and measures its cost. Nothing is followed yet. Fails if this process may
    /// not trace, or the kernel cannot; partial lacks are in [`missing`](Self::missing).
    pub fn open(config: &TracerConfig) -> Result<Self, TraceError> {
        require()?;
        let kernel = Kernel::open(config)?;
        let functions = Arc::new(Mutex::new(Functions::load(&kernel)));
        let drain = Drain::start(kernel.ring()?, config.most_events, Arc::clone(&functions))?;
        let overhead_ns = calibrate(&kernel)?;
        let mut tracer = Self { kernel, drain, functions, counts: Counts::default(), left_out: 0, overhead_ns };
        tracer.take()?; // what calibrating left behind
        Ok(tracer)
    }

    /// Also follows these processes and their future children. Ended ones are skipped; those followed already are given
    /// the group. Fails if the kernel has no room for them.
    pub fn watch(&mut self, all: &[Watched]) -> Result<(), TraceError> {
        // Before they are seen: a connection's direction is decided when its first event is read.
        self.drain.listening(ports_of(all.iter().map(|process| process.pid)));
        for process in all {
            self.watch_one(process)?;
            if let Ok(mut functions) = self.functions.lock() {
                functions.look(process.pid);
            }
        }
        Ok(())
    }

    fn watch_one(&self, process: &Watched) -> Result<(), TraceError> {
        let failed = |error| TraceError::failed("following a process", error);
        let map = self.kernel.map("watched")?;
        let key = process.pid.to_ne_bytes();
        let before = map.lookup(&key, MapFlags::ANY).map_err(failed)?;
        let cpu_ns = before.as_deref().and_then(WatchedEntry::from_raw).map_or(0, |entry| entry.cpu_ns);
        let entry = WatchedEntry { group: process.group, own: process.own, cpu_ns, children: process.children };
        map.update(&key, &entry.raw(), MapFlags::ANY).map_err(failed)?;
        // Checked afterwards: the kernel's part never hears of a process that ended before, and another may get its id.
        if !Path::new(&format!("/proc/{}", process.pid)).exists() {
            let _ = map.delete(&key);
        }
        Ok(())
    }

    /// What was traced since the last call. Fails if the kernel's maps cannot be read.
    pub fn take(&mut self) -> Result<Batch, TraceError> {
        let drained = self.drain.take()?;
        let mut events = drained.events;
        // Each processor's are in order already.
        events.sort_by_key(|event| event.at_ns);
        let counts = self.counts.take(&self.kernel.map("counts")?, &self.kernel.map("watched")?, &events)?;
        let left_out = self.kernel.left_out();
        let newly_left_out = left_out.saturating_sub(std::mem::replace(&mut self.left_out, left_out));
        let lost = drained.dropped + newly_left_out + self.counts.newly_lost(&self.kernel.map("lost")?)?;
        Ok(Batch { events, counts, lost })
    }

    /// Current sources: a program's functions are traced once a followed process runs it.
    pub fn sources(&self) -> Vec<EvidenceSource> {
        let mut sources = vec![EvidenceSource::Syscalls, EvidenceSource::Processes];
        if let Ok(functions) = self.functions.lock() {
            sources.extend(functions.sources());
        }
        sources
    }

    /// Sources that cannot be traced.
    pub fn missing(&self) -> Vec<Missing> {
        let mut missing = self.kernel.missing.clone();
        if let Ok(functions) = self.functions.lock() {
            missing.extend_from_slice(functions.missing());
        }
        missing
    }

    /// Time in ns that tracing adds to a system call in its events, measured at opening.
    pub fn overhead_ns(&self) -> u64 {
        self.overhead_ns
    }
}

/// Calls in a row; their mean is one sample.
const ROW: u32 = 100;

/// Samples whose median is taken, since an interrupt spoils one.
const ROWS: usize = 20;

/// The traced time of a call that does next to nothing (getppid, some 10 ns): the share of tracing in any call's time.
/// This process is followed meanwhile, and its events are discarded.
pub(super) fn calibrate(kernel: &Kernel) -> Result<u64, TraceError> {
    let failed = |error| TraceError::failed("calibrating", error);
    let (watched, counts) = (kernel.map("watched")?, kernel.map("counts")?);
    let pid = std::process::id();
    let entry = WatchedEntry { group: NOBODY, own: true, cpu_ns: 0, children: NOBODY };
    let number = u16::try_from(libc::SYS_getppid).unwrap_or_default();
    let key = Key { pid, group: NOBODY, number, errno: 0 };

    watched.update(&pid.to_ne_bytes(), &entry.raw(), MapFlags::ANY).map_err(failed)?;
    let sampled = (0..ROWS)
        .map(|_| {
            let before = lookup(&counts, key)?;
            for _ in 0..ROW {
                std::hint::black_box(nix::unistd::getppid());
            }
            let after = lookup(&counts, key)?;
            // Zero if, for instance, the kernel has other ids for this process than it has itself.
            let times = after.0.saturating_sub(before.0);
            if times == 0 {
                return Err(TraceError::failed("calibrating", "the kernel's part sees no call of this process"));
            }
            Ok(after.1.saturating_sub(before.1) / times)
        })
        .collect::<Result<Vec<u64>, TraceError>>();
    watched.delete(&pid.to_ne_bytes()).map_err(failed)?;
    let mut sampled = sampled?;
    sampled.sort_unstable();
    Ok(sampled[ROWS / 2])
}

pub(super) fn ports_of(pids: impl IntoIterator<Item = u32>) -> HashSet<u16> {
    ports_by(pids, |pid| fs::read_link(format!("/proc/{pid}/ns/net")).ok(), |table| fs::read_to_string(table).ok())
}

/// Reads a network's tables once, however many of the processes are in it: on a busy machine they have megabytes. A
/// process whose network is unreadable has its tables read in any case.
fn ports_by<N: Eq + Hash>(
    pids: impl IntoIterator<Item = u32>,
    network: impl Fn(u32) -> Option<N>,
    mut read: impl FnMut(&Path) -> Option<String>,
) -> HashSet<u16> {
    let (mut networks, mut ports) = (HashSet::new(), HashSet::new());
    for pid in pids.into_iter().filter(|pid| network(*pid).is_none_or(|network| networks.insert(network))) {
        for family in ["tcp", "tcp6"] {
            let table = read(Path::new(&format!("/proc/{pid}/net/{family}"))).unwrap_or_default();
            ports.extend(listening_sockets(&table).map(|socket| socket.port));
        }
    }
    ports
}

#[cfg(test)]
mod tests;
