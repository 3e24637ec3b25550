//! The principal type is [`NytProf`]: Perl's profiler, in a process of our own.

use std::time::Duration;

use unladen_load::Cancel;
use unladen_profile::Profile;

use crate::error::ProfilerError;
use crate::overhear::Overheard;
use crate::profiler::{Answered, Profiler};

/// How it profiles.
#[derive(Debug, Clone)]
pub struct NytProfOptions {
    /// Whether each request is the first of a new process.
    pub fresh: bool,
    /// Whether opcodes that take time (`regcomp`, `ftis`, …) are told as if they were functions.
    pub opcodes: bool,
    /// How long a request may take; Perl under this profiler is some times slower.
    pub timeout: Duration,
}

/// Hands requests to a twin of a Perl program.
#[derive(Debug)]
pub struct NytProf {
    overheard: Overheard,
    options: NytProfOptions,
}

// === impl NytProf ===

impl NytProf {
    /// Looks whether Perl has the module, and the program can be started again.
    ///
    /// # Errors
    /// When not.
    pub fn open(overheard: Overheard, options: NytProfOptions) -> Result<Self, ProfilerError> {
        Ok(Self { overheard, options })
    }
}

impl Profiler for NytProf {
    fn name(&self) -> &'static str {
        "nytprof"
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
