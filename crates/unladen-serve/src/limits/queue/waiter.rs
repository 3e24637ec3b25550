//! The principal type is [`Waiter`]: where a waiting thread learns its fate from another.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use super::refusal::Refusal;

#[derive(Debug, Default)]
pub(super) struct Waiter(Mutex<Fate>);

#[derive(Debug)]
enum Fate {
    Waits(Option<Waker>),
    Granted,
    Refused(Refusal),
}

impl Default for Fate {
    fn default() -> Self {
        Self::Waits(None)
    }
}

impl Waiter {
    /// Gives it a place; returns the waker to wake once no lock is held.
    #[must_use]
    pub(super) fn grant(&self) -> Option<Waker> {
        self.become_(Fate::Granted)
    }

    #[must_use]
    pub(super) fn refuse(&self, refusal: Refusal) -> Option<Waker> {
        self.become_(Fate::Refused(refusal))
    }

    pub(super) fn told(&self) -> Option<Result<(), Refusal>> {
        match &*self.fate() {
            Fate::Granted => Some(Ok(())),
            Fate::Refused(refusal) => Some(Err(*refusal)),
            Fate::Waits(_) => None,
        }
    }

    /// Polls for a place; the last to poll is woken.
    pub(super) fn poll(&self, cx: &Context<'_>) -> Poll<Result<(), Refusal>> {
        let mut fate = self.fate();
        let before = match &mut *fate {
            Fate::Granted => return Poll::Ready(Ok(())),
            Fate::Refused(refusal) => return Poll::Ready(Err(*refusal)),
            Fate::Waits(Some(waker)) if waker.will_wake(cx.waker()) => None,
            Fate::Waits(waker) => waker.replace(cx.waker().clone()),
        };
        // Dropping a waker may drop anything: not with the lock held.
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
