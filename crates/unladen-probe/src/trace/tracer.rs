//! The principal type is [`Tracer`].

use std::path::Path;
use std::sync::{Arc, Mutex};

use libbpf_rs::{MapCore, MapFlags};
use unladen_trace::{Batch, EvidenceSource, Missing};

use super::calibrate::calibrate;
use super::counts::{Counts, WatchedEntry};
use super::drain::Drain;
use super::functions::Functions;
use super::kernel::Kernel;
use super::listening::ports_of;
use super::require::require;
use super::{TraceError, TracerConfig, Watched};

/// Follows processes. When it goes, nothing stays attached; nor if this process is killed.
#[derive(Debug)]
pub struct Tracer {
    // Detached in this order: first what makes events, then who reads them.
    kernel: Kernel,
    drain: Drain,
    functions: Arc<Mutex<Functions>>,
    counts: Counts,
    left_out: u64,
    overhead_ns: u64,
}

impl Tracer {
    /// Loads the kernel's part, attaches it, and finds out what it costs. Nothing is followed yet.
    ///
    /// # Errors
    /// If this process may not trace, or the kernel cannot; what is only missing in part is told by
    /// [`missing`](Self::missing).
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

    /// Follows these processes too, and the children that they will have. Those that have ended are left out; those
    /// that are followed already are given the group.
    ///
    /// # Errors
    /// If the kernel has no room for them.
    pub fn watch(&mut self, all: &[Watched]) -> Result<(), TraceError> {
        // Before anything is seen of them: a connection is told apart when its first event is read.
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
        // Looked at afterwards: of a process that ended before, the kernel's part will never hear, and another may get
        // its id.
        if !Path::new(&format!("/proc/{}", process.pid)).exists() {
            let _ = map.delete(&key);
        }
        Ok(())
    }

    /// What was traced since the last call.
    ///
    /// # Errors
    /// If the kernel's maps cannot be read.
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

    /// What is looked at by now: a program's functions are, once a followed process runs it.
    pub fn sources(&self) -> Vec<EvidenceSource> {
        let mut sources = vec![EvidenceSource::Syscalls, EvidenceSource::Processes];
        if let Ok(functions) = self.functions.lock() {
            sources.extend(functions.sources());
        }
        sources
    }

    /// What cannot be looked at.
    pub fn missing(&self) -> Vec<Missing> {
        let mut missing = self.kernel.missing.clone();
        if let Ok(functions) = self.functions.lock() {
            missing.extend_from_slice(functions.missing());
        }
        missing
    }

    /// What tracing adds to the time of a system call, as its events give it, ns: measured when it was opened.
    pub fn overhead_ns(&self) -> u64 {
        self.overhead_ns
    }
}
