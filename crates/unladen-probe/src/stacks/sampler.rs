//! The principal type is [`StackSampler`].

use std::cell::RefCell;
use std::os::fd::{AsRawFd, IntoRawFd};

use libbpf_rs::{Link, Map, MapCore, MapFlags, MapHandle, Object, RingBufferBuilder};

use crate::trace::TraceError;
use crate::trace::{Aligned, listen, open, refusal, require, require_first_namespace};

use super::clock::{processors, ticks};
use super::{StackBatch, record};

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
                    match record::sample(bytes) {
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
