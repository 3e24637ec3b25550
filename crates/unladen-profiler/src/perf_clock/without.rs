//! [`PerfClock`] without the feature `ebpf`: it cannot be opened.

use std::convert::Infallible;

use unladen_load::{Cancel, DriverConfig};
use unladen_probe::StackSampler;
use unladen_profile::Profile;

use crate::profiler::{Answered, Profiler, ProfilerError};

use super::PerfClockOptions;

/// Samples the stacks of all processes that follow requests; unavailable without the feature `ebpf`.
#[derive(Debug)]
pub struct PerfClock(Infallible);

impl PerfClock {
    /// Always fails with [`TraceError::NotBuilt`](unladen_probe::TraceError::NotBuilt).
    pub fn open(_: DriverConfig, options: PerfClockOptions) -> Result<Self, ProfilerError> {
        match StackSampler::open(options.frequency) {
            Err(error) => Err(error.into()),
            // The build's parts disagree about the feature.
            Ok(_) => Err(unladen_probe::TraceError::NotBuilt.into()),
        }
    }
}

impl Profiler for PerfClock {
    fn name(&self) -> &'static str {
        match self.0 {}
    }

    fn plain(&mut self, _: &Cancel) -> Result<Answered, ProfilerError> {
        match self.0 {}
    }

    fn profile(&mut self, _: &mut Profile, _: &Cancel) -> Result<Answered, ProfilerError> {
        match self.0 {}
    }

    fn finish(&mut self, _: &mut Profile) -> Result<(), ProfilerError> {
        match self.0 {}
    }
}
