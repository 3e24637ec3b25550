//! The principal type is [`Profiler`].

use std::time::Duration;

use unladen_load::Cancel;
use unladen_profile::Profile;

use crate::error::ProfilerError;

/// Sends one request again and again, and reports the stacks meanwhile.
pub trait Profiler {
    /// As in a profile's `about`: `excimer`.
    fn name(&self) -> &'static str;

    /// Sends the request without the profiler, whose cost is the difference. Fails if the answer is unexpected; with
    /// [`ProfilerError::Cancelled`] when cancelled.
    fn plain(&mut self, cancel: &Cancel) -> Result<Answered, ProfilerError>;

    /// Sends the request under the profiler, and adds a cluster to the profile, now or in [`finish`](Self::finish).
    /// Fails if the answer is unexpected, or the profiler has not written its samples; with
    /// [`ProfilerError::Cancelled`] when cancelled.
    fn profile(&mut self, into: &mut Profile, cancel: &Cancel) -> Result<Answered, ProfilerError>;

    /// Ends it, and adds what is only available then. Fails if that is unreadable.
    fn finish(&mut self, into: &mut Profile) -> Result<(), ProfilerError>;

    /// Notes beside the profile: what it cannot show, and what to do about it.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The measures of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// From the request to the end of the answer.
    pub took: Duration,
    pub status: u16,
    pub bytes: u64,
}
