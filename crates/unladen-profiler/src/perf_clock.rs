//! The principal type is [`PerfClock`]: the stacks of whatever runs, by the kernel's clock.

use unladen_load::{Cancel, DriverConfig};
use unladen_profile::Profile;

use crate::error::ProfilerError;
use crate::profiler::{Answered, Profiler};

/// How it samples.
#[derive(Debug, Clone)]
pub struct PerfClockOptions {
    /// Samples a second of CPU time; no divisor of the clock's ticks, so that what runs in step with those is seen.
    pub frequency: u64,
}

/// Sends requests, and has the stacks of all processes noted that follow them.
#[derive(Debug)]
pub struct PerfClock {
    options: PerfClockOptions,
}

// === impl PerfClock ===

impl PerfClock {
    /// Looks whether the kernel lets us.
    ///
    /// # Errors
    /// When not.
    pub fn open(driver: DriverConfig, options: PerfClockOptions) -> Result<Self, ProfilerError> {
        let _ = driver;
        Ok(Self { options })
    }
}

impl Profiler for PerfClock {
    fn name(&self) -> &'static str {
        "perf"
    }

    fn plain(&mut self, cancel: &Cancel) -> Result<Answered, ProfilerError> {
        let _ = (cancel, &self.options);
        todo!()
    }

    fn profile(&mut self, into: &mut Profile, cancel: &Cancel) -> Result<Answered, ProfilerError> {
        let _ = (into, cancel);
        todo!()
    }

    fn finish(&mut self, into: &mut Profile) -> Result<(), ProfilerError> {
        let _ = into;
        Ok(())
    }
}
