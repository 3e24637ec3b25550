//! The principal type is [`StackSampler`].

use std::cell::RefCell;
use std::io;
use std::os::fd::{AsRawFd, IntoRawFd};

use libbpf_rs::{Link, Map, MapCore, MapFlags, MapHandle, Object, RingBufferBuilder};
use perf_event::events::Software;
use perf_event::{Builder, Counter};

use crate::stacks::{StackBatch, StackSample};
use crate::trace::{Aligned, TraceError, listen, open, refusal, require, require_first_namespace};

static STACKS: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/stacks.bpf.o")));

const RING: &str = "samples";

/// For each processor: two seconds of samples of the greatest length at 997 Hz take 4 MB, usual ones a tenth of that.
const RING_PER_PROCESSOR: u32 = 1 << 20;

/// Bounds of the whole ring, in bytes.
const LEAST_RING: u32 = 4 << 20;
const MOST_RING: u32 = 64 << 20;

/// Samples the stacks of whatever runs. Nothing stays attached after it is dropped or this process is killed.
///
/// Each tick costs a busy processor some µs: examples/stack_cost.rs measures it.
pub struct StackSampler {
    /// Dropped first, which detaches. Empty while paused.
    links: Vec<Link>,
    object: Object,
    ring: MapHandle,
    frequency: u64,
    lost: u64,
}

// === impl StackSampler ===

impl StackSampler {
    /// Samples each processor at that frequency, in Hz, from now on. Fails if this process may not, or the kernel
    /// cannot.
    pub fn open(frequency: u64) -> Result<Self, TraceError> {
        require()?;
        require_first_namespace()?;
        let processors = u32::try_from(processors()?.len()).unwrap_or(u32::MAX);
        let bytes = RING_PER_PROCESSOR.saturating_mul(processors).clamp(LEAST_RING, MOST_RING).next_power_of_two();
        listen();
        let mut object = open(&STACKS.0)?;
        for mut ring in object.maps_mut().filter(|map| map.name() == RING) {
            ring.set_max_entries(bytes).map_err(|error| TraceError::failed("making the ring of samples", error))?;
        }
        let object = object.load().map_err(|error| refusal("loading its program", error))?;
        let ring = MapHandle::try_from(&map(&object, RING)?).map_err(failed)?;
        let mut sampler = Self { links: Vec::new(), object, ring, frequency, lost: 0 };
        sampler.resume()?;
        Ok(sampler)
    }

    /// Samples since the last call. The kernel keeps a second or two of them, no longer. Fails if the kernel's memory
    /// cannot be read.
    pub fn take(&mut self) -> Result<StackBatch, TraceError> {
        let batch = RefCell::new(StackBatch::default());
        {
            let mut builder = RingBufferBuilder::new();
            builder
                .add(&self.ring, |bytes| {
                    let mut batch = batch.borrow_mut();
                    match sample(bytes) {
                        Some(sample) => batch.samples.push(sample),
                        None => batch.lost += 1,
                    }
                    0
                })
                .map_err(failed)?;
            builder.build().map_err(failed)?.consume().map_err(failed)?;
        }
        let mut batch = batch.into_inner();
        // Each processor's are in order already.
        batch.samples.sort_by_key(|sample| sample.at_ns);
        let lost = self.lost_so_far()?;
        batch.lost += lost.saturating_sub(std::mem::replace(&mut self.lost, lost));
        Ok(batch)
    }

    fn lost_so_far(&self) -> Result<u64, TraceError> {
        let map = map(&self.object, "lost")?;
        let by_processor = map.lookup_percpu(&0_u32.to_ne_bytes(), MapFlags::ANY).map_err(failed)?.unwrap_or_default();
        Ok(by_processor.iter().filter_map(|raw| raw.first_chunk().map(|raw| u64::from_ne_bytes(*raw))).sum())
    }

    /// Stops the clock: nothing is interrupted until [`resume`](Self::resume).
    pub fn pause(&mut self) {
        self.links.clear();
    }

    /// Restarts the clock. Fails if the kernel does not allow it.
    pub fn resume(&mut self) -> Result<(), TraceError> {
        if !self.links.is_empty() {
            return Ok(());
        }
        let mut links = Vec::new();
        let program = self
            .object
            .progs_mut()
            .next()
            .ok_or_else(|| TraceError::failed("attaching to the kernel's clock", "there is no program"))?;
        for processor in processors()? {
            let clock = ticks(processor, self.frequency)?;
            let link = program
                .attach_perf_event(clock.as_raw_fd())
                .map_err(|error| refusal("attaching to the kernel's clock", error))?;
            // The link closes it: libbpf takes it over once it is attached.
            let _ = clock.into_raw_fd();
            links.push(link);
        }
        self.links = links;
        Ok(())
    }
}

fn map<'a>(object: &'a Object, name: &str) -> Result<Map<'a>, TraceError> {
    object
        .maps()
        .find(|map| map.name() == name)
        .ok_or_else(|| TraceError::failed("finding a map", format!("there is no {name}")))
}

fn failed(error: libbpf_rs::Error) -> TraceError {
    TraceError::failed("reading samples", error)
}

impl std::fmt::Debug for StackSampler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StackSampler")
            .field("frequency", &self.frequency)
            .field("is_paused", &self.links.is_empty())
            .finish_non_exhaustive()
    }
}

/// `COMM_BYTES` in bpf/stacks.bpf.c.
const COMM_BYTES: usize = 16;

/// `struct sample` in bpf/stacks.bpf.c, and the frames that follow it. Malformed bytes are no sample: `None`, which is
/// counted as lost.
pub(super) fn sample(bytes: &[u8]) -> Option<StackSample> {
    let (at_ns, rest) = bytes.split_first_chunk()?;
    let (pid, rest) = number(rest)?;
    let (tid, rest) = number(rest)?;
    let (parent, rest) = number(rest)?;
    let (uid, rest) = number(rest)?;
    let (kernel, rest) = number(rest)?;
    let (user, rest) = number(rest)?;
    let (comm, rest) = rest.split_first_chunk::<COMM_BYTES>()?;
    let (kernel, rest) = rest.split_at_checked(usize::try_from(kernel).ok()?)?;
    let user = rest.get(..usize::try_from(user).ok()?)?;
    let comm = comm.split(|byte| *byte == 0).next().unwrap_or_default();
    Some(StackSample {
        at_ns: u64::from_ne_bytes(*at_ns),
        pid,
        tid,
        parent,
        uid,
        comm: String::from_utf8_lossy(comm).into_owned(),
        kernel: addresses(kernel),
        user: addresses(user),
    })
}

fn number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (number, rest) = bytes.split_first_chunk()?;
    Some((u32::from_ne_bytes(*number), rest))
}

/// The kernel fills unused places with zeros, and address 0 is no code.
fn addresses(bytes: &[u8]) -> Vec<u64> {
    let (chunks, _) = bytes.as_chunks();
    chunks.iter().map(|chunk| u64::from_ne_bytes(*chunk)).take_while(|address| *address != 0).collect()
}

/// Online processors as the kernel lists them: `0-3,5`.
const ONLINE: &str = "/sys/devices/system/cpu/online";

/// No machine has more processors.
const MOST_PROCESSORS: usize = 65_536;

pub(super) fn processors() -> Result<Vec<usize>, TraceError> {
    let listed = std::fs::read_to_string(ONLINE).map_err(|error| TraceError::failed("listing processors", error))?;
    listing(&listed).ok_or_else(|| TraceError::failed("listing processors", format!("{ONLINE} has {listed:?}")))
}

fn listing(listed: &str) -> Option<Vec<usize>> {
    let mut processors = Vec::new();
    for range in listed.trim().split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        if last >= MOST_PROCESSORS {
            return None;
        }
        processors.extend(first..=last);
    }
    Some(processors)
}

/// The clock of one processor; it stands until a program is attached.
pub(super) fn ticks(processor: usize, frequency: u64) -> Result<Counter, TraceError> {
    Builder::new(Software::CPU_CLOCK)
        .any_pid()
        .one_cpu(processor)
        .include_kernel()
        .exclude_idle(true)
        .sample_frequency(frequency)
        .build()
        .map_err(|error| clock_refusal(&error, frequency))
}

fn clock_refusal(error: &io::Error, frequency: u64) -> TraceError {
    use nix::libc;
    match error.raw_os_error() {
        Some(libc::EACCES | libc::EPERM) => TraceError::NotAllowed,
        Some(libc::EINVAL) => TraceError::failed(
            "opening the kernel's clock",
            format!("{frequency} Hz: {error}: see the sysctl kernel.perf_event_max_sample_rate"),
        ),
        Some(libc::EMFILE) => TraceError::failed("opening the kernel's clock", format!("{error}: raise ulimit -n")),
        _ => TraceError::failed("opening the kernel's clock", error),
    }
}

#[cfg(test)]
mod tests;
