//! The principal type is [`Waiter`]: where one who waits learns what has become of it.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use super::refusal::Refusal;

/// Where one who waits, on one thread, learns from another what has become of it.
#[derive(Debug, Default)]
pub(super) struct Waiter(Mutex<Fate>);

/// What has become of one who waits.
#[derive(Debug)]
enum Fate {
    Waits(Option<Waker>),
    /// It has a place.
    Granted,
    Refused(Refusal),
}

impl Default for Fate {
    fn default() -> Self {
        Self::Waits(None)
    }
}

impl Waiter {
    /// It has a place from now on: whom to wake, once no lock is held.
    #[must_use]
    pub(super) fn grant(&self) -> Option<Waker> {
        self.become_(Fate::Granted)
    }

    /// It need not wait any longer.
    #[must_use]
    pub(super) fn refuse(&self, refusal: Refusal) -> Option<Waker> {
        self.become_(Fate::Refused(refusal))
    }

    /// What has become of it, if that is known.
    pub(super) fn told(&self) -> Option<Result<(), Refusal>> {
        match &*self.fate() {
            Fate::Granted => Some(Ok(())),
            Fate::Refused(refusal) => Some(Err(*refusal)),
            Fate::Waits(_) => None,
        }
    }

    /// A place, or none; whoever polls last is woken when that is known.
    pub(super) fn poll(&self, cx: &Context<'_>) -> Poll<Result<(), Refusal>> {
        let mut fate = self.fate();
        let before = match &mut *fate {
            Fate::Granted => return Poll::Ready(Ok(())),
            Fate::Refused(refusal) => return Poll::Ready(Err(*refusal)),
            Fate::Waits(Some(waker)) if waker.will_wake(cx.waker()) => None,
            Fate::Waits(waker) => waker.replace(cx.waker().clone()),
        };
        // What a waker takes with it may be whatever waits: not with the lock held.
        drop(fate);
        drop(before);
        Poll::Pending
    }

    fn become_(&self, fate: Fate) -> Option<Waker> {
        match std::mem::replace(&mut *self.fate(), fate) {
            Fate::Waits(waker) => waker,
            Fate::Granted | Fate::Refused(_) => None,
        }
    }

    fn fate(&self) -> MutexGuard<'_, Fate> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
