//! The principal type is [`Backoff`]: when a server may be tried again.

use std::time::Duration;

use tokio::time::Instant;

use crate::AskError;

const FIRST: Duration = Duration::from_millis(50);

const LAST: Duration = Duration::from_secs(2);

#[derive(Debug, Default)]
pub(crate) struct Backoff {
    failed: Option<(AskError, Instant)>,
    pause: Duration,
}

impl Backoff {
    pub(crate) fn succeeded(&mut self) {
        *self = Self::default();
    }

    pub(crate) fn failed(&mut self, error: AskError) {
        self.pause = (self.pause * 2).clamp(FIRST, LAST);
        self.failed = Some((error, Instant::now() + self.pause));
    }

    pub(crate) fn length(&self) -> Duration {
        self.pause
    }

    pub(crate) fn error(&self) -> Option<&AskError> {
        self.failed.as_ref().map(|(error, _)| error)
    }

    /// Why the last attempt failed, if it is too early for the next.
    pub(crate) fn pause(&self) -> Option<&AskError> {
        self.failed.as_ref().filter(|(_, until)| Instant::now() < *until).map(|(error, _)| error)
    }
}
