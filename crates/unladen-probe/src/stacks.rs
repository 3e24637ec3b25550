//! Stacks of running code, sampled by the kernel's clock. The principal type is [`StackSampler`].
//!
//! Each processor is interrupted at a frequency, and an eBPF program records what ran there with its stack: one sample
//! is that much time on a processor. Idle processors are left out. Addresses are not resolved here.
//!
//! ```no_run
//! use unladen_probe::{GroupBy, ProcessGroups, StackSampler};
//!
//! let mut sampler = StackSampler::open(997)?;
//! let mut groups = ProcessGroups::open(GroupBy::Auto);
//! std::thread::sleep(std::time::Duration::from_secs(1));
//! for sample in sampler.take()?.samples {
//!     let group = groups.of(&sample);
//!     println!("{}: {} frames", groups.group(group), sample.kernel.len() + sample.user.len());
//! }
//! # Ok::<(), unladen_probe::TraceError>(())
//! ```

mod groups;
#[cfg(feature = "ebpf")]
mod sampler;
#[cfg(not(feature = "ebpf"))]
#[path = "stacks/without.rs"]
mod sampler;

pub use groups::ProcessGroups;
pub use sampler::StackSampler;

/// What ran on a processor at a tick of the clock.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StackSample {
    /// By the monotonic clock in ns; see [`monotonic_ns`](crate::monotonic_ns).
    pub at_ns: u64,
    pub pid: u32,
    pub tid: u32,
    pub parent: u32,
    pub uid: u32,
    /// Short name of the thread, at most 15 bytes.
    pub comm: String,
    /// Addresses in the kernel, innermost first; empty if the program itself ran.
    pub kernel: Vec<u64>,
    /// Addresses in the program, innermost first: by frame pointers, so that without those the frames from the second
    /// on may be few, or no code at all.
    pub user: Vec<u64>,
}

/// Samples taken from the kernel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StackBatch {
    /// In order of time.
    pub samples: Vec<StackSample>,
    /// Ticks whose samples found no room, or were malformed.
    pub lost: u64,
}
