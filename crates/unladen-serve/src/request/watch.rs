//! Time limits. The principal types are [`Watch`], which ends what takes too long, and [`Stretch`]: how long a client
//! has been waited for, against the [`Pace`] it has to keep.

use std::cell::Cell;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::time::Sleep;
use unladen_serve_config::Pace;

/// One timer for all that a connection waits for in turn.
///
/// Moving a deadline back does not touch the timer: it fires early, sees that there is time left, and waits for the
/// rest. So a request answered in time costs no timer work.
#[derive(Debug)]
pub(crate) struct Watch {
    sleep: Pin<Box<Sleep>>,
}

/// Time for a local reply to a client that may be slow to take it.
const LOCAL_REPLY: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub(crate) struct Deadline {
    at: Cell<Instant>,
    /// Bound of the whole, which the parts may not exceed.
    last: Cell<Option<Instant>>,
    /// Last reading of the clock, updated when something was waited for.
    now: Cell<Instant>,
}

impl Deadline {
    /// `within` counts from `now`.
    pub(crate) fn new(now: Instant, within: Duration, last: Option<Instant>) -> Self {
        let deadline = Self { at: Cell::new(now), last: Cell::new(last), now: Cell::new(now) };
        deadline.set(within);
        deadline
    }

    pub(crate) fn of_local_reply(now: Instant) -> Self {
        Self::new(now, LOCAL_REPLY, None)
    }

    /// Reads the clock.
    pub(crate) fn look(&self) -> Instant {
        self.now.set(Instant::now());
        self.now.get()
    }

    /// Last reading of the clock, unlike [`Self::look`].
    pub(crate) fn now(&self) -> Instant {
        self.now.get()
    }

    /// `within` counts from the last reading of the clock.
    pub(crate) fn set(&self, within: Duration) {
        let at = self.now.get() + within.min(FAR);
        self.at.set(self.last.get().map_or(at, |last| last.min(at)));
    }

    /// `within` counts from now.
    pub(crate) fn renew(&self, within: Duration) {
        self.look();
        self.set(within);
    }

    /// Moves the deadline forward to `at`, if given.
    pub(crate) fn until(&self, at: Option<Instant>) {
        if let Some(at) = at {
            self.at.set(self.at.get().min(at));
        }
    }

    /// Removes the bound of the whole, which is not meant for what remains.
    pub(crate) fn lift(&self) {
        self.last.set(None);
    }

    /// Whether the bound of the whole has been reached.
    pub(crate) fn is_last(&self) -> bool {
        self.last.get().is_some_and(|last| self.at.get() >= last)
    }

    /// Time left of the whole.
    pub(crate) fn left(&self) -> Option<Duration> {
        self.last.get().map(|last| last.saturating_duration_since(self.now.get()))
    }
}

/// Ten years: adding it cannot overflow an [`Instant`].
const FAR: Duration = Duration::from_secs(10 * 365 * 24 * 3600);

impl Watch {
    pub(crate) fn new() -> Self {
        Self { sleep: Box::pin(tokio::time::sleep(Duration::from_secs(60))) }
    }

    /// Result of `work`; `None` if its deadline comes first. The caller pins it, so that it need not be moved.
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
                    // A stalled process may see the deadline before events that were in time: the system, and `work`,
                    // are asked once more.
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

/// Start of the current wait, and the bytes carried by then.
#[derive(Debug, Default)]
pub(crate) struct Stretch(Option<(Instant, u64)>);

impl Stretch {
    /// When the client will be too slow unless more bytes come, if `is_waited_for`. Bytes before the wait do not count,
    /// for it or against it.
    pub(crate) fn until(&mut self, pace: Pace, is_waited_for: bool, now: Instant, bytes: u64) -> Option<Instant> {
        if !is_waited_for {
            self.0 = None;
            return None;
        }
        let (since, before) = *self.0.get_or_insert((now, bytes));
        pace.until(since, bytes.saturating_sub(before))
    }
}

#[cfg(test)]
mod tests;
