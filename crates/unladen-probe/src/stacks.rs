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

#[cfg(feature = "ebpf")]
mod clock;
mod groups;
#[cfg(feature = "ebpf")]
mod record;
mod sample;
#[cfg(feature = "ebpf")]
mod sampler;
#[cfg(not(feature = "ebpf"))]
#[path = "stacks/without.rs"]
mod sampler;

pub use groups::ProcessGroups;
pub use sample::{StackBatch, StackSample};
pub use sampler::StackSampler;
