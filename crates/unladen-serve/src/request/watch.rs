//! The principal type is [`Watch`]: ends what takes too long.

use std::cell::Cell;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::time::Sleep;

/// One timer for all that a connection waits for, one after the other.
///
/// Moving a deadline further away does not touch the timer: it goes off early, sees that there is time left, and waits
/// for the rest. Thus a request that is answered in time costs no work on timers.
#[derive(Debug)]
pub(crate) struct Watch {
    sleep: Pin<Box<Sleep>>,
}

/// For an answer of our own, to a client that may be slow to take it.
const LOCAL_REPLY: Duration = Duration::from_secs(10);

/// Until when something may take.
#[derive(Debug)]
pub(crate) struct Deadline {
    at: Cell<Instant>,
    /// Of all of it; the parts may not go beyond.
    last: Cell<Option<Instant>>,
    /// When the clock was looked at last: it is, when something was waited for.
    now: Cell<Instant>,
}

impl Deadline {
    /// From `now` on, `within` is left.
    pub(crate) fn new(now: Instant, within: Duration, last: Option<Instant>) -> Self {
        let deadline = Self { at: Cell::new(now), last: Cell::new(last), now: Cell::new(now) };
        deadline.set(within);
        deadline
    }

    /// For an answer of our own, to a client that may be slow to take it.
    pub(crate) fn of_local_reply(now: Instant) -> Self {
        Self::new(now, LOCAL_REPLY, None)
    }

    /// Looks at the clock.
    pub(crate) fn look(&self) -> Instant {
        self.now.set(Instant::now());
        self.now.get()
    }

    /// When the clock was looked at last.
    pub(crate) fn now(&self) -> Instant {
        self.now.get()
    }

    /// From when the clock was looked at last, `within` is left.
    pub(crate) fn set(&self, within: Duration) {
        let at = self.now.get() + within.min(FAR);
        self.at.set(self.last.get().map_or(at, |last| last.min(at)));
    }

    /// From now on, `within` is left.
    pub(crate) fn renew(&self, within: Duration) {
        self.look();
        self.set(within);
    }

    /// Not beyond this, if there is such a time.
    pub(crate) fn until(&self, at: Option<Instant>) {
        if let Some(at) = at {
            self.at.set(self.at.get().min(at));
        }
    }

    /// Takes the bound of the whole off: what is left is not what it is for.
    pub(crate) fn lift(&self) {
        self.last.set(None);
    }

    /// Whether the bound of the whole has been reached.
    pub(crate) fn is_last(&self) -> bool {
        self.last.get().is_some_and(|last| self.at.get() >= last)
    }

    /// What is left of the whole.
    pub(crate) fn left(&self) -> Option<Duration> {
        self.last.get().map(|last| last.saturating_duration_since(self.now.get()))
    }
}

/// Ten years: no sum with it is beyond what an [`Instant`] can hold.
const FAR: Duration = Duration::from_secs(10 * 365 * 24 * 3600);

impl Watch {
    pub(crate) fn new() -> Self {
        Self { sleep: Box::pin(tokio::time::sleep(Duration::from_secs(60))) }
    }

    /// What `work` gives; none if its deadline is reached before. It is pinned by whoever calls, so that it need not be
    /// moved.
    pub(crate) async fn over<F: Future>(&mut self, deadline: &Deadline, mut work: Pin<&mut F>) -> Option<F::Output> {
        let mut has_looked_again = false;
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
                    if std::mem::replace(&mut has_looked_again, true) {
                        return Poll::Ready(None);
                    }
                    // A process that was held up may learn of the time before it learns of what came in time: the
                    // system is asked for that once more, and `work` with it.
                    let _ = pin!(tokio::task::yield_now()).poll(cx);
                    return Poll::Pending;
                }
                has_looked_again = false;
                self.sleep.as_mut().reset(at);
            }
        })
        .await
    }
}

#[cfg(test)]
mod tests;
