//! The principal type is [`Excimer`]: PHP's sampling profiler, in requests that are ours alone.

use std::time::Duration;

use unladen_load::Cancel;
use unladen_profile::Profile;

use crate::error::ProfilerError;
use crate::overhear::Overheard;
use crate::profiler::{Answered, Profiler};

/// How it samples.
#[derive(Debug, Clone)]
pub struct ExcimerOptions {
    /// The time between samples.
    pub period: Duration,
    /// Of which clock.
    pub clock: Clock,
    /// How long a request may take.
    pub timeout: Duration,
}

/// A clock to sample by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// Time as it passes, waiting included.
    Wall,
    /// The process's CPU time.
    Cpu,
}

/// Hands requests to PHP-FPM.
#[derive(Debug)]
pub struct Excimer {
    overheard: Overheard,
    options: ExcimerOptions,
}

// === impl Excimer ===

impl Excimer {
    /// Looks whether PHP has the extension.
    ///
    /// # Errors
    /// When it has not, or the run's folder cannot be made.
    pub fn open(overheard: Overheard, options: ExcimerOptions) -> Result<Self, ProfilerError> {
        Ok(Self { overheard, options })
    }
}

impl Profiler for Excimer {
    fn name(&self) -> &'static str {
        "excimer"
    }

    fn plain(&mut self, cancel: &Cancel) -> Result<Answered, ProfilerError> {
        let _ = (cancel, &self.overheard, &self.options);
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
