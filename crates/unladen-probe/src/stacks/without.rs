//! The principal type is [`StackSampler`], where the feature `ebpf` is off: there is none.

use std::convert::Infallible;

use crate::trace::TraceError;

use super::StackBatch;

/// Samples stacks; cannot be had without the feature `ebpf`.
#[derive(Debug)]
pub struct StackSampler(Infallible);

impl StackSampler {
    /// Always fails.
    ///
    /// # Errors
    /// [`TraceError::NotBuilt`].
    pub fn open(_: u64) -> Result<Self, TraceError> {
        Err(TraceError::NotBuilt)
    }

    /// What was sampled since the last call.
    ///
    /// # Errors
    /// None.
    pub fn take(&mut self) -> Result<StackBatch, TraceError> {
        match self.0 {}
    }

    /// Lets the clock stand.
    pub fn pause(&mut self) {
        match self.0 {}
    }

    /// Starts the clock again.
    ///
    /// # Errors
    /// None.
    pub fn resume(&mut self) -> Result<(), TraceError> {
        match self.0 {}
    }
}
