//! The principal type is [`Profiler`].

use std::time::Duration;

use unladen_load::Cancel;
use unladen_profile::Profile;

use crate::error::ProfilerError;

/// Has one request answered again and again, and tells what was on the stack meanwhile.
pub trait Profiler {
    /// Its name, as in a profile's `about`: `excimer`.
    fn name(&self) -> &'static str;

    /// Has the request answered without the profiler: what it costs is the difference.
    ///
    /// # Errors
    /// When it is not answered as expected; [`ProfilerError::Cancelled`] when cancelled.
    fn plain(&mut self, cancel: &Cancel) -> Result<Answered, ProfilerError>;

    /// Has the request answered under the profiler, and adds a cluster to the profile, now or in
    /// [`finish`](Self::finish).
    ///
    /// # Errors
    /// When it is not answered as expected, or the profiler has not written what it saw; [`ProfilerError::Cancelled`]
    /// when cancelled.
    fn profile(&mut self, into: &mut Profile, cancel: &Cancel) -> Result<Answered, ProfilerError>;

    /// Ends it: adds what is only there in the end.
    ///
    /// # Errors
    /// When that cannot be read.
    fn finish(&mut self, into: &mut Profile) -> Result<(), ProfilerError>;

    /// What is to be said beside the profile: what it cannot show, and what to do about it.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// From the request to the end of the answer.
    pub took: Duration,
    pub status: u16,
    /// Its body's length, in bytes.
    pub bytes: u64,
}
