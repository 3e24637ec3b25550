//! The kernel's part except functions: loaded and attached. The principal type is [`Kernel`].

use std::os::fd::{AsFd, AsRawFd};

use libbpf_rs::{Link, Map, MapCore, MapFlags, MapHandle, Object, Program};
use unladen_trace::{EvidenceSource, Missing};

use crate::trace::object::{CALLS, listen, nested, open, refusal};
use crate::trace::{TraceError, TracerConfig, calls};

/// Optional: left out if the kernel has no such tracepoint.
const ESTABLISHED: &str = "on_state";

/// A page: the least size of a ring.
const LEAST_RING: u32 = 4096;

#[derive(Debug)]
pub(super) struct Kernel {
    /// Dropped first, which detaches.
    links: Vec<Link>,
    calls: Object,
    pub(super) missing: Vec<Missing>,
}

impl Kernel {
    /// Loads everything, and attaches what is not specific to a program or library.
    pub(super) fn open(config: &TracerConfig) -> Result<Self, TraceError> {
        listen();
        let mut missing = Vec::new();
        let calls = match load_calls(config, true) {
            Ok(object) => object,
            Err(first) => match load_calls(config, false) {
                Ok(object) => {
                    missing.push(Missing {
                        source: EvidenceSource::Syscalls,
                        why: format!("it cannot be seen when connections are established: {first}"),
                        takes: "a kernel with the tracepoint sock:inet_sock_set_state".into(),
                    });
                    object
                }
                Err(_) => return Err(first),
            },
        };
        let mut kernel = Self { links: Vec::new(), calls, missing };
        kernel.describe_calls()?;
        kernel.describe_namespace()?;
        kernel.attach()?;
        Ok(kernel)
    }

    fn describe_calls(&self) -> Result<(), TraceError> {
        let map = self.map("calls")?;
        for call in calls::all() {
            let number = u32::try_from(call.number).unwrap_or(u32::MAX);
            map.update(&number.to_ne_bytes(), &call.raw(), MapFlags::ANY)
                .map_err(|error| TraceError::failed("describing system calls", error))?;
        }
        Ok(())
    }

    /// `struct own_namespace` in bpf/ids.h; the kernel's part finds out its depth.
    fn describe_namespace(&self) -> Result<(), TraceError> {
        let mut raw = [0; 8];
        raw[..4].copy_from_slice(&nested()?.unwrap_or_default().to_ne_bytes());
        self.map("own")?
            .update(&0_u32.to_ne_bytes(), &raw, MapFlags::ANY)
            .map_err(|error| TraceError::failed("describing its PID namespace", error))
    }

    fn attach(&mut self) -> Result<(), TraceError> {
        for program in self.calls.progs_mut().filter(|program| program.autoload()) {
            let link = program.attach().map_err(|error| refusal("attaching to tracepoints", error))?;
            self.links.push(link);
        }
        Ok(())
    }

    /// How often a program was skipped since it was loaded, as it was already running on that processor. Where the
    /// kernel takes the processor from a process within it (seen on Linux 7.3), nothing is seen there until that
    /// process goes on.
    pub(super) fn left_out(&self) -> u64 {
        let told = |program: Program<'_>| {
            let told = std::fs::read_to_string(format!("/proc/self/fdinfo/{}", program.as_fd().as_raw_fd())).ok()?;
            left_out(&told)
        };
        // Kernels before 5.12 do not count it.
        self.calls.progs().filter(|program| program.autoload()).filter_map(told).sum()
    }

    pub(super) fn map(&self, name: &str) -> Result<Map<'_>, TraceError> {
        self.calls
            .maps()
            .find(|map| map.name() == name)
            .ok_or_else(|| TraceError::failed("finding a map", format!("there is no {name}")))
    }

    pub(super) fn ring(&self) -> Result<MapHandle, TraceError> {
        MapHandle::try_from(&self.map("events")?).map_err(|error| TraceError::failed("reading events", error))
    }
}

/// Parses a program's /proc/PID/fdinfo/FD.
fn left_out(told: &str) -> Option<u64> {
    told.lines().find_map(|line| line.strip_prefix("recursion_misses:"))?.trim().parse().ok()
}

fn load_calls(config: &TracerConfig, with_established: bool) -> Result<Object, TraceError> {
    let mut object = open(&CALLS.0)?;
    for mut map in object.maps_mut().filter(|map| map.name() == "events") {
        // The kernel accepts a power of two, of pages.
        let bytes = config.ring_bytes.max(LEAST_RING).checked_next_power_of_two().unwrap_or(1 << 31);
        map.set_max_entries(bytes).map_err(|error| TraceError::failed("making the ring of events", error))?;
    }
    for mut program in object.progs_mut().filter(|program| program.name() == ESTABLISHED) {
        program.set_autoload(with_established);
    }
    object.load().map_err(|error| refusal("loading its programs", error))
}

#[cfg(test)]
mod tests;
