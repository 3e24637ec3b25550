//! The principal type is [`Bounds`]: how much is held for clients, and how much may be.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Waker};

use arc_swap::ArcSwap;
use bytes::Bytes;
use tokio::sync::Notify;
use unladen_observability::ClientMemoryState;

use crate::limits::crowd::network;

/// Divisor of the process's bound for a client.
const OF_CLIENT: usize = 4;
/// Divisor of the process's bound for a connection.
const OF_CONNECTION: usize = 12;
/// Least bound of a connection, however small the process's: some frames, and a usual head.
const LEAST_OF_CONNECTION: usize = 128 * 1024;
/// A connection that holds less than this gets more although its client or the process is at its bound, until the
/// process is an eighth above, or for data to be sent a fourth: those who read do not wait for those who do not.
pub(super) const FLOOR: usize = 16 * 1024;
/// Memory is given back to the system after this much was held, and most of it released.
const PEAK: usize = 4 * 1024 * 1024;

#[derive(Debug, Default)]
pub(super) struct Bounds {
    limit: AtomicUsize,
    held: AtomicUsize,
    /// The most held since memory was given back.
    pub(super) peak: AtomicUsize,
    /// Rings when something is released while somebody waits at the process's bound.
    pub(super) room: Bell,
    /// Notified at the bound, or when there is memory to give back.
    pub(super) look: Notify,
    clients: Mutex<HashMap<IpAddr, Weak<ClientHeld>>>,
    bodies: ArcSwap<Vec<Arc<Bodies>>>,
    /// Number of clients near their bound.
    short_clients: AtomicUsize,
    pub(super) counts: Counts,
}

#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) at_connection: AtomicU64,
    pub(super) at_client: AtomicU64,
    pub(super) at_process: AtomicU64,
    pub(super) ended_slow: AtomicU64,
    pub(super) ended_stalled: AtomicU64,
}

impl Bounds {
    pub(super) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { limit: limit.into(), ..Self::default() })
    }

    pub(super) fn state(&self) -> ClientMemoryState {
        let Counts { at_connection, at_client, at_process, ended_slow, ended_stalled } = &self.counts;
        ClientMemoryState {
            limit: self.limit(),
            held: self.held(),
            reached: [at_connection, at_client, at_process].map(|count| count.load(Ordering::Relaxed)),
            ended_slow: ended_slow.load(Ordering::Relaxed),
            ended_stalled: ended_stalled.load(Ordering::Relaxed),
        }
    }

    pub(super) fn set_limit(&self, limit: usize) {
        self.limit.store(limit, Ordering::Relaxed);
        self.room.ring();
    }

    pub(super) fn set_bodies(&self, bodies: Vec<Arc<Bodies>>) {
        self.bodies.store(Arc::new(bodies));
    }

    pub(super) fn limit(&self) -> usize {
        self.limit.load(Ordering::Relaxed)
    }

    pub(super) fn held(&self) -> usize {
        self.held.load(ORDER) + self.lent()
    }

    /// No connection is ended before seven eighths are held, of the process's bound or a client's.
    pub(super) fn is_short(&self) -> bool {
        self.too_much() > 0 || self.short_clients.load(Ordering::Relaxed) > 0
    }

    /// Bytes to release, if too much is held.
    pub(super) fn too_much(&self) -> usize {
        let (held, lent, limit) = (self.held(), self.lent(), self.limit());
        let of_all = if held > limit / 8 * 7 { held - limit / 4 * 3 } else { 0 };
        let of_lent = if lent > limit / 8 * 3 { lent - limit / 4 } else { 0 };
        of_all.max(of_lent)
    }

    pub(super) fn client(&self, address: IpAddr) -> Arc<ClientHeld> {
        let client = network(address);
        let mut clients = self.clients();
        if let Some(held) = clients.get(&client).and_then(Weak::upgrade) {
            return held;
        }
        let held = ClientHeld::new(client, self.client_limit());
        clients.insert(client, Arc::downgrade(&held));
        held
    }

    pub(super) fn take_of(&self, client: &ClientHeld, bytes: usize) {
        if client.take(bytes) {
            self.short_clients.fetch_add(1, Ordering::Relaxed);
            self.look.notify_one();
        }
    }

    pub(super) fn give_of(&self, client: &ClientHeld, bytes: usize) {
        if client.give(bytes) {
            self.short_clients.fetch_sub(1, Ordering::Relaxed);
        }
        client.room.ring();
    }

    /// Called when a connection no longer uses it; the last removes it from the list.
    pub(super) fn leave(&self, held: Arc<ClientHeld>) {
        let client = held.client;
        let mut clients = self.clients();
        drop(held);
        if clients.get(&client).is_some_and(|held| held.strong_count() == 0) {
            clients.remove(&client);
        }
    }

    pub(super) fn has_fallen(&self) -> bool {
        let peak = self.peak.load(Ordering::Relaxed);
        peak >= PEAK && self.held() < peak / 4
    }

    pub(super) fn left(&self) -> usize {
        self.limit().saturating_sub(self.held())
    }

    /// Whether no request is begun any more …
    pub(super) fn is_over(&self) -> bool {
        let limit = self.limit();
        self.held() >= limit + limit / 8
    }

    /// … and nothing sent any more until something has been taken.
    pub(super) fn is_far_over(&self) -> bool {
        let limit = self.limit();
        self.held() >= limit + limit / 4
    }

    /// Whether so many bodies no longer stored are being sent that nothing more is sent from caches.
    pub(super) fn is_lent_out(&self) -> bool {
        self.lent() >= self.limit() / 2
    }

    /// Bodies that caches made, beyond their bounds.
    pub(super) fn lent(&self) -> usize {
        self.bodies.load().iter().map(|bodies| bodies.excess()).sum()
    }

    pub(super) fn take(&self, bytes: usize) {
        self.held.fetch_add(bytes, ORDER);
        let held = self.held();
        // Races are harmless: the peak may be a piece too low.
        if held > self.peak.load(Ordering::Relaxed) {
            self.peak.store(held, Ordering::Relaxed);
        }
        if held > self.limit() / 8 * 7 {
            self.look.notify_one();
        }
    }

    pub(super) fn give(&self, bytes: usize) {
        self.held.fetch_sub(bytes, ORDER);
        self.room.ring();
        if self.has_fallen() {
            self.look.notify_one();
        }
    }

    pub(super) fn connection_limit(&self) -> usize {
        (self.limit() / OF_CONNECTION).max(LEAST_OF_CONNECTION)
    }

    pub(super) fn client_limit(&self) -> usize {
        (self.limit() / OF_CLIENT).max(LEAST_OF_CONNECTION)
    }

    pub(super) fn clients(&self) -> MutexGuard<'_, HashMap<IpAddr, Weak<ClientHeld>>> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

/// Sequentially consistent: who releases checks for waiters afterwards, and who waits checks for releases afterwards.
/// If a check could pass the change, neither would see the other.
pub(super) const ORDER: Ordering = Ordering::SeqCst;

/// Wakes all who wait.
#[derive(Debug, Default)]
pub(super) struct Bell {
    /// Read without the lock: mostly nobody waits.
    has_waiters: AtomicBool,
    /// By waiter, so that those who leave take their waker along, which keeps the memory of its task.
    waiters: Mutex<BTreeMap<u64, Waker>>,
}

impl Bell {
    /// Registers for the next ring. Check the condition once more afterwards.
    pub(super) fn wait(&self, waiter: u64, cx: &Context<'_>) {
        self.lock().insert(waiter, cx.waker().clone());
        self.has_waiters.store(true, Ordering::SeqCst);
    }

    pub(super) fn leave(&self, waiter: u64) {
        self.lock().remove(&waiter);
    }

    pub(super) fn ring(&self) {
        if !self.has_waiters.load(Ordering::SeqCst) {
            return;
        }
        let waiters = {
            let mut waiters = self.lock();
            self.has_waiters.store(false, Ordering::SeqCst);
            std::mem::take(&mut *waiters)
        };
        for waiter in waiters.into_values() {
            waiter.wake();
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Waker>> {
        self.waiters.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How much is held for all connections of one client.
#[derive(Debug)]
pub(super) struct ClientHeld {
    client: IpAddr,
    held: AtomicUsize,
    /// Bytes from which its connections are checked for not reading.
    most: usize,
    pub(super) room: Bell,
}

impl ClientHeld {
    /// `limit`: what all its connections may hold.
    pub(super) fn new(client: IpAddr, limit: usize) -> Arc<Self> {
        Arc::new(Self { client, held: AtomicUsize::new(0), most: limit / 8 * 7, room: Bell::default() })
    }

    pub(super) fn held(&self) -> usize {
        self.held.load(ORDER)
    }

    /// Adds; whether that takes it near its bound.
    #[must_use]
    pub(super) fn take(&self, bytes: usize) -> bool {
        let before = self.held.fetch_add(bytes, ORDER);
        before <= self.most && before + bytes > self.most
    }

    /// Subtracts; whether it is no longer near its bound.
    #[must_use]
    pub(super) fn give(&self, bytes: usize) -> bool {
        let before = self.held.fetch_sub(bytes, ORDER);
        before > self.most && before.saturating_sub(bytes) <= self.most
    }

    /// Bytes to release; 0 if it is not short.
    pub(super) fn too_much(&self) -> usize {
        let held = self.held();
        if held > self.most { held - self.most / 7 * 6 } else { 0 }
    }
}

/// Memory of the bodies that a cache made: those stored, and those no longer stored but still being sent. Up to the
/// cache's bound they count as its own; the excess is held for clients that do not read.
#[derive(Debug)]
pub(crate) struct Bodies {
    bound: usize,
    alive: AtomicUsize,
}

struct Body {
    bytes: Bytes,
    bodies: Arc<Bodies>,
}

impl Bodies {
    pub(crate) fn new(bound: u64) -> Arc<Self> {
        Arc::new(Self { bound: usize::try_from(bound).unwrap_or(usize::MAX), alive: AtomicUsize::new(0) })
    }

    /// Counts a body until its last user drops it.
    pub(crate) fn count(self: &Arc<Self>, bytes: Bytes) -> Bytes {
        if bytes.is_empty() {
            return bytes;
        }
        self.alive.fetch_add(bytes.len(), Ordering::Relaxed);
        Bytes::from_owner(Body { bytes, bodies: self.clone() })
    }

    pub(super) fn excess(&self) -> usize {
        self.alive.load(Ordering::Relaxed).saturating_sub(self.bound)
    }
}

impl AsRef<[u8]> for Body {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Body {
    fn drop(&mut self) {
        self.bodies.alive.fetch_sub(self.bytes.len(), Ordering::Relaxed);
    }
}
