//! [`StackSampler`] without the feature `ebpf`: it cannot be opened.

use std::convert::Infallible;

use crate::trace::TraceError;

use super::StackBatch;

/// Samples stacks; unavailable without the feature `ebpf`.
#[derive(Debug)]
pub struct StackSampler(Infallible);

impl StackSampler {
    /// Always fails with [`TraceError::NotBuilt`].
    pub fn open(_: u64) -> Result<Self, TraceError> {
        Err(TraceError::NotBuilt)
    }

    /// Samples since the last call.
    pub fn take(&mut self) -> Result<StackBatch, TraceError> {
        match self.0 {}
    }

    /// Stops the clock.
    pub fn pause(&mut self) {
        match self.0 {}
    }

    /// Restarts the clock.
    pub fn resume(&mut self) -> Result<(), TraceError> {
        match self.0 {}
    }
}
