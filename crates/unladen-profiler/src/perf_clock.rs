//! The principal type is [`PerfClock`]: stacks of whatever runs, sampled by the kernel's clock.
//!
//! Requests are sent one by one, with equally long stretches without a request before or after them, by a coin toss. A
//! group of processes that is on the processors more often while a request is answered *follows* the requests; its
//! stacks during that time are the profile. Nobody has to say who answers.

#[cfg(feature = "ebpf")]
mod clock;
#[cfg(not(feature = "ebpf"))]
#[path = "perf_clock/without.rs"]
mod clock;
#[cfg(feature = "ebpf")]
mod following;
#[cfg(feature = "ebpf")]
mod jit;
#[cfg(feature = "ebpf")]
mod notes;
#[cfg(feature = "ebpf")]
mod places;
#[cfg(feature = "ebpf")]
mod processes;
#[cfg(feature = "ebpf")]
mod symbols;
#[cfg(feature = "ebpf")]
mod watcher;

pub use clock::PerfClock;

/// How the kernel's clock samples.
#[derive(Debug, Clone)]
pub struct PerfClockOptions {
    /// Samples a second of CPU time; no divisor of the clock's ticks, so that work in step with those is seen.
    pub frequency: u64,
}

impl Default for PerfClockOptions {
    fn default() -> Self {
        Self { frequency: 997 }
    }
}
