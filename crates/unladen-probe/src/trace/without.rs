//! [`Tracer`] without the feature `ebpf`: it cannot be opened.

use std::convert::Infallible;

use unladen_trace::{Batch, EvidenceSource, Missing};

use super::{TraceError, TracerConfig, Watched};

/// Follows processes; unavailable without the feature `ebpf`.
#[derive(Debug)]
pub struct Tracer(Infallible);

impl Tracer {
    /// Always fails with [`TraceError::NotBuilt`].
    pub fn open(_: &TracerConfig) -> Result<Self, TraceError> {
        Err(TraceError::NotBuilt)
    }

    /// Also follows these processes.
    pub fn watch(&mut self, _: &[Watched]) -> Result<(), TraceError> {
        match self.0 {}
    }

    /// What was traced since the last call.
    pub fn take(&mut self) -> Result<Batch, TraceError> {
        match self.0 {}
    }

    /// Current sources.
    pub fn sources(&self) -> Vec<EvidenceSource> {
        match self.0 {}
    }

    /// Sources that cannot be traced.
    pub fn missing(&self) -> Vec<Missing> {
        match self.0 {}
    }

    /// Time in ns that tracing adds to a system call in its events.
    pub fn overhead_ns(&self) -> u64 {
        match self.0 {}
    }
}
