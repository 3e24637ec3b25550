//! The principal type is [`Tracer`], where the feature `ebpf` is off: there is none.

use std::convert::Infallible;

use unladen_trace::{Batch, EvidenceSource, Missing};

use super::{TraceError, TracerConfig, Watched};

/// Follows processes; cannot be had without the feature `ebpf`.
#[derive(Debug)]
pub struct Tracer(Infallible);

impl Tracer {
    /// Always fails.
    ///
    /// # Errors
    /// [`TraceError::NotBuilt`].
    pub fn open(_: &TracerConfig) -> Result<Self, TraceError> {
        Err(TraceError::NotBuilt)
    }

    /// Follows these processes too.
    ///
    /// # Errors
    /// None.
    pub fn watch(&mut self, _: &[Watched]) -> Result<(), TraceError> {
        match self.0 {}
    }

    /// What was traced since the last call.
    ///
    /// # Errors
    /// None.
    pub fn take(&mut self) -> Result<Batch, TraceError> {
        match self.0 {}
    }

    /// What is looked at.
    pub fn sources(&self) -> Vec<EvidenceSource> {
        match self.0 {}
    }

    /// What cannot be looked at.
    pub fn missing(&self) -> Vec<Missing> {
        match self.0 {}
    }

    /// What tracing adds to the time of a system call, as its events give it, ns.
    pub fn overhead_ns(&self) -> u64 {
        match self.0 {}
    }
}
