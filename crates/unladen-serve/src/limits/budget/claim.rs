//! The principal type is [`Claim`]: waits for room in a share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};

use super::share::{Held, Share};

/// One for each that may wait.
#[derive(Debug)]
pub(crate) struct Claim {
    share: Arc<Share>,
    /// Its number at the bells; 0 while unregistered.
    waiter: u64,
    /// Waker registered for the share's end.
    listening: Option<Waker>,
}

impl Claim {
    pub(crate) fn new(share: Arc<Share>) -> Self {
        Self { share, waiter: 0, listening: None }
    }

    pub(crate) fn share(&self) -> &Arc<Share> {
        &self.share
    }

    /// Holds up to `most` bytes to be sent, at least one; waits if there is no room.
    pub(crate) fn poll_hold(&mut self, cx: &Context<'_>, most: usize) -> Poll<Held> {
        if let Some(held) = self.share.hold_some(most) {
            return Poll::Ready(held);
        }
        let waiter = self.waiter();
        self.share.wait_for_room(waiter, cx);
        // It may have been released between the two looks.
        match self.share.hold_some(most) {
            Some(held) => Poll::Ready(held),
            None => Poll::Pending,
        }
    }

    /// Holds `bytes` for a beginning request; waits if there is no room.
    pub(crate) fn poll_begin(&mut self, cx: &Context<'_>, bytes: usize) -> Poll<Held> {
        if let Some(held) = self.share.try_hold(bytes) {
            return Poll::Ready(held);
        }
        let waiter = self.waiter();
        self.share.wait_for_room(waiter, cx);
        self.share.try_hold(bytes).map_or(Poll::Pending, Poll::Ready)
    }

    pub(crate) fn poll_lent(&mut self, cx: &Context<'_>) -> Poll<()> {
        if !self.share.is_lent_out() {
            return Poll::Ready(());
        }
        let waiter = self.waiter();
        self.share.wait_for_room(waiter, cx);
        if self.share.is_lent_out() { Poll::Pending } else { Poll::Ready(()) }
    }

    /// Whether what is held is to be released as others need it; registers the waker for that.
    pub(crate) fn poll_ended(&mut self, cx: &Context<'_>) -> bool {
        if !self.listening.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
            let waiter = self.waiter();
            self.share.wait_for_end(waiter, cx);
            self.listening = Some(cx.waker().clone());
        }
        self.share.is_ended()
    }

    fn waiter(&mut self) -> u64 {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        if self.waiter == 0 {
            self.waiter = NEXT.fetch_add(1, Ordering::Relaxed);
        }
        self.waiter
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if self.waiter != 0 {
            self.share.leave(self.waiter);
        }
    }
}
