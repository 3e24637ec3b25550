//! The principal type is [`Share`]: memory held for one client connection.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::task::{Context, Poll, Waker};

use super::bounds::{Bell, Bounds, ClientHeld, FLOOR, ORDER, count};

/// Bytes of a connection that are not counted: most answers are shorter, and cost no more than the counting itself.
const FREE: usize = 4 * 1024;
/// Process and client are updated in lots of this many bytes, not for each small piece.
const LOT: usize = 16 * 1024;

#[derive(Debug)]
pub(crate) struct Share {
    bounds: Arc<Bounds>,
    holders: Arc<Holders>,
    address: Option<IpAddr>,
    client: OnceLock<Arc<ClientHeld>>,
    held: AtomicUsize,
    /// Bytes reported to process and client, in lots.
    told: AtomicUsize,
    /// Bytes taken so far.
    moved: AtomicU64,
    /// Pieces waiting to be sent.
    waiting: AtomicUsize,
    /// Their bytes, and those of heads that will be.
    sending: AtomicUsize,
    is_listed: AtomicBool,
    is_ended: AtomicBool,
    room: Bell,
    ended: Bell,
    pub(super) pace: Pace,
}

#[derive(Debug, Default)]
pub(super) struct Holders(Mutex<Vec<Weak<Share>>>);

#[derive(Debug)]
pub(crate) struct Held {
    share: Arc<Share>,
    bytes: usize,
    purpose: Purpose,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Request,
    /// The head of an answer that is being received: it is sent next, but if it stays, the client is not to blame.
    Head,
    /// What waits to be sent.
    Sending,
}

impl Holders {
    pub(super) fn all(&self) -> MutexGuard<'_, Vec<Weak<Share>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Share {
    pub(super) fn new(bounds: Arc<Bounds>, holders: Arc<Holders>, address: Option<IpAddr>) -> Arc<Self> {
        Arc::new(Self {
            bounds,
            holders,
            address,
            client: OnceLock::new(),
            held: AtomicUsize::new(0),
            told: AtomicUsize::new(0),
            moved: AtomicU64::new(0),
            waiting: AtomicUsize::new(0),
            sending: AtomicUsize::new(0),
            is_listed: AtomicBool::new(false),
            is_ended: AtomicBool::new(false),
            room: Bell::default(),
            ended: Bell::default(),
            pace: Pace::default(),
        })
    }

    /// Holds what is there already, whether there is room or not.
    pub(crate) fn hold(self: &Arc<Self>, bytes: usize) -> Held {
        self.add(bytes);
        Held { share: self.clone(), bytes, purpose: Purpose::Request }
    }

    /// Holds all of an answer's head if there is room for a part of it.
    fn try_hold_answer(self: &Arc<Self>, bytes: usize) -> Option<Held> {
        (self.room_to_send() > 0).then(|| {
            self.sending.fetch_add(bytes, Ordering::Relaxed);
            let mut held = self.hold(bytes);
            held.purpose = Purpose::Head;
            held
        })
    }

    pub(crate) fn try_hold(self: &Arc<Self>, bytes: usize) -> Option<Held> {
        (self.room() >= bytes).then(|| self.hold(bytes))
    }

    /// Holds what little any connection may have, or more if there is room.
    pub(crate) fn try_hold_head(self: &Arc<Self>, bytes: usize) -> Option<Held> {
        (self.held() + bytes <= FLOOR || self.room() >= bytes).then(|| self.hold(bytes))
    }

    /// Holds `bytes` if half of the connection's bound stays free for other things.
    pub(crate) fn try_hold_aside(self: &Arc<Self>, bytes: usize) -> Option<Held> {
        (self.room() >= bytes + self.bounds.connection_limit() / 2).then(|| self.hold(bytes))
    }

    /// Holds up to `most` bytes to be sent, at least one; `None` if there is no room.
    pub(super) fn hold_some(self: &Arc<Self>, most: usize) -> Option<Held> {
        match self.room_to_send() {
            0 => None,
            room => Some(self.hold(room.min(most))),
        }
    }

    pub(super) fn wait_for_room(&self, waiter: u64, cx: &Context<'_>) {
        self.room.wait(waiter, cx);
        if let Some(client) = self.client_held() {
            client.room.wait(waiter, cx);
        }
        self.bounds.room.wait(waiter, cx);
        // The bells of connection and client wake their own waiters.
        if self.bounds.is_short() {
            self.bounds.look.notify_one();
        }
    }

    pub(super) fn leave(&self, waiter: u64) {
        self.room.leave(waiter);
        self.ended.leave(waiter);
        if let Some(client) = self.client.get() {
            client.room.leave(waiter);
        }
        self.bounds.room.leave(waiter);
    }

    /// Bytes that may still be held for sending. A part of the connection's bound is left for its requests meanwhile.
    pub(super) fn room_to_send(&self) -> usize {
        let most = self.bounds.connection_limit() / 4 * 3;
        self.room_of(most, self.sending(), |bounds| !bounds.is_far_over())
    }

    pub(crate) fn room(&self) -> usize {
        self.room_of(self.bounds.connection_limit(), self.held(), |bounds| !bounds.is_over())
    }

    /// `small`: amount to compare with the floor, which is available beyond the bounds as long as `is_there` says so.
    fn room_of(&self, most: usize, small: usize, is_there: impl Fn(&Bounds) -> bool) -> usize {
        let (held, counts) = (self.held(), &self.bounds.counts);
        // Neither other connections nor what waits for the application may hold up a client that reads.
        let least = || if is_there(&self.bounds) { FLOOR.saturating_sub(small) } else { 0 };
        let own = most.saturating_sub(held);
        if own == 0 {
            count(&counts.at_connection);
            return least();
        }
        let of_client =
            self.client_held().map_or(own, |client| self.bounds.client_limit().saturating_sub(client.held()));
        if of_client == 0 {
            count(&counts.at_client);
            return least().min(own);
        }
        let of_all = self.bounds.left();
        if of_all == 0 {
            count(&counts.at_process);
            return least().min(own);
        }
        own.min(of_client.min(of_all).max(least()))
    }

    pub(super) fn is_lent_out(&self) -> bool {
        self.bounds.is_lent_out()
    }

    pub(crate) fn held(&self) -> usize {
        self.held.load(ORDER)
    }

    fn sending(&self) -> usize {
        self.sending.load(Ordering::Relaxed)
    }

    pub(crate) fn is_waiting(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > 0
    }

    pub(crate) fn took(&self, bytes: usize) {
        self.moved.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub(crate) fn moved(&self) -> u64 {
        self.moved.load(Ordering::Relaxed)
    }

    pub(crate) fn end(&self) {
        self.is_ended.store(true, Ordering::SeqCst);
        self.ended.ring();
    }

    /// Counts it as ended for having taken nothing for too long.
    pub(crate) fn stalled(&self) {
        count(&self.bounds.counts.ended_stalled);
    }

    pub(crate) fn is_ended(&self) -> bool {
        self.is_ended.load(Ordering::SeqCst)
    }

    /// Identifies its client, and how much of that one's is to be released.
    pub(super) fn clients_too_much(&self) -> Option<(usize, usize)> {
        self.client.get().map(|client| (Arc::as_ptr(client).addr(), client.too_much()))
    }

    fn client_held(&self) -> Option<&Arc<ClientHeld>> {
        self.address.map(|address| self.client.get_or_init(|| self.bounds.client(address)))
    }

    fn add(self: &Arc<Self>, bytes: usize) {
        self.held.fetch_add(bytes, ORDER);
        self.pass_on();
        if self.told.load(Ordering::Relaxed) > 0 && !self.is_listed.swap(true, Ordering::Relaxed) {
            self.holders.all().push(Arc::downgrade(self));
        }
    }

    fn remove(&self, bytes: usize) {
        self.held.fetch_sub(bytes, ORDER);
        self.pass_on();
        self.room.ring();
    }

    /// Updates process and client, if the number of lots has changed.
    fn pass_on(&self) {
        let now = self.held().saturating_sub(FREE).div_ceil(LOT) * LOT;
        if now == self.told.load(Ordering::Relaxed) {
            return;
        }
        let before = self.told.swap(now, Ordering::Relaxed);
        let client = self.client_held();
        if now > before {
            client.inspect(|client| self.bounds.take_of(client, now - before));
            self.bounds.take(now - before);
        } else {
            client.inspect(|client| self.bounds.give_of(client, before - now));
            self.bounds.give(before - now);
        }
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let told = std::mem::take(self.told.get_mut());
        if told > 0 {
            self.client.get().inspect(|client| self.bounds.give_of(client, told));
            self.bounds.give(told);
        }
        if let Some(client) = self.client.take() {
            self.bounds.leave(client);
        }
        if *self.is_listed.get_mut() {
            self.holders.all().retain(|holder| holder.strong_count() > 0);
        }
    }
}

impl Held {
    /// Marks it as waiting to be sent: if it stays, the client is to blame.
    pub(crate) fn outgoing(mut self) -> Self {
        match std::mem::replace(&mut self.purpose, Purpose::Sending) {
            Purpose::Sending => return self,
            Purpose::Head => (),
            Purpose::Request => _ = self.share.sending.fetch_add(self.bytes, Ordering::Relaxed),
        }
        self.share.waiting.fetch_add(1, Ordering::Relaxed);
        self
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Changes the amount, whether there is room or not.
    pub(crate) fn set(&mut self, bytes: usize) {
        if bytes > self.bytes {
            self.share.add(bytes - self.bytes);
        } else {
            self.share.remove(self.bytes - bytes);
        }
        if self.purpose != Purpose::Request {
            self.share.sending.fetch_add(bytes, Ordering::Relaxed);
            self.share.sending.fetch_sub(self.bytes, Ordering::Relaxed);
        }
        self.bytes = bytes;
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if self.purpose == Purpose::Sending {
            self.share.waiting.fetch_sub(1, Ordering::Relaxed);
        }
        if self.purpose != Purpose::Request {
            self.share.sending.fetch_sub(self.bytes, Ordering::Relaxed);
        }
        self.share.remove(self.bytes);
    }
}

/// How fast a connection takes what it is sent.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// Time of the last look, in milliseconds of the process's clock plus one; 0: never.
    pub(super) at: AtomicU64,
    /// Bytes taken by then.
    pub(super) moved: AtomicU64,
}

/// Waits for room in a share: one for each that may wait.
#[derive(Debug)]
pub(crate) struct Claim {
    pub(crate) share: Arc<Share>,
    /// Its number at the bells; 0 while unregistered.
    waiter: u64,
    /// Waker registered for the share's end.
    listening: Option<Waker>,
}

impl Claim {
    pub(crate) fn new(share: Arc<Share>) -> Self {
        Self { share, waiter: 0, listening: None }
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

    /// Holds what the head of an answer takes; waits if there is no room at all.
    pub(crate) fn poll_answer(&mut self, cx: &Context<'_>, bytes: usize) -> Poll<Held> {
        if let Some(held) = self.share.try_hold_answer(bytes) {
            return Poll::Ready(held);
        }
        let waiter = self.waiter();
        self.share.wait_for_room(waiter, cx);
        self.share.try_hold_answer(bytes).map_or(Poll::Pending, Poll::Ready)
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
            self.share.ended.wait(waiter, cx);
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
