//! The principal type is [`Watch`]: ends what takes too long.

use std::cell::Cell;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::time::Sleep;

/// One timer for all that a connection waits for, one after the other.
///
/// Moving a deadline further away does not touch the timer: it goes off early, sees that there is time left, and waits for the rest.
/// Thus a request that is answered in time costs no work on timers.
#[derive(Debug)]
pub(crate) struct Watch {
    sleep: Pin<Box<Sleep>>,
}

/// Until when something may take.
#[derive(Debug)]
pub(crate) struct Deadline {
    at: Cell<Instant>,
    /// Of all of it; the parts may not go beyond.
    last: Option<Instant>,
}

// === impl Deadline ===

impl Deadline {
    pub(crate) fn new(within: Duration, last: Option<Instant>) -> Self {
        let deadline = Self { at: Cell::new(Instant::now()), last };
        deadline.set(Instant::now(), within);
        deadline
    }

    /// From `now` on, `within` is left.
    pub(crate) fn set(&self, now: Instant, within: Duration) {
        let at = now + within.min(FAR);
        self.at.set(self.last.map_or(at, |last| last.min(at)));
    }

    /// Whether the bound of the whole has been reached.
    pub(crate) fn is_last(&self) -> bool {
        self.last.is_some_and(|last| self.at.get() >= last)
    }

    /// What is left of the whole.
    pub(crate) fn left(&self, now: Instant) -> Option<Duration> {
        self.last.map(|last| last.saturating_duration_since(now))
    }
}

/// Ten years: no sum with it is beyond what an [`Instant`] can hold.
const FAR: Duration = Duration::from_secs(10 * 365 * 24 * 3600);

// === impl Watch ===

impl Watch {
    pub(crate) fn new() -> Self {
        Self { sleep: Box::pin(tokio::time::sleep(Duration::from_secs(60))) }
    }

    /// What `work` gives; none if its deadline is reached before.
    pub(crate) async fn over<F: Future>(&mut self, deadline: &Deadline, work: F) -> Option<F::Output> {
        let mut work = pin!(work);
        poll_fn(|cx| {
            if let Poll::Ready(output) = work.as_mut().poll(cx) {
                return Poll::Ready(Some(output));
            }
            loop {
                let at = tokio::time::Instant::from_std(deadline.at.get());
                if at < self.sleep.deadline() {
                    self.sleep.as_mut().reset(at);
                }
                if self.sleep.as_mut().poll(cx).is_pending() {
                    return Poll::Pending;
                }
                if Instant::now() >= deadline.at.get() {
                    return Poll::Ready(None);
                }
                self.sleep.as_mut().reset(at);
            }
        })
        .await
    }
}
