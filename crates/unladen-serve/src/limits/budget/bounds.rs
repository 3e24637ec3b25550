//! The principal type is [`Bounds`]: how much is held for clients, and how much may be.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use arc_swap::ArcSwap;
use tokio::sync::Notify;
use unladen_observability::ClientMemoryState;

use super::bell::Bell;
use super::bodies::Bodies;
use super::client::ClientHeld;
use super::order::ORDER;
use crate::limits::crowd::network;

/// What a client may hold of all: a fourth.
const OF_CLIENT: usize = 4;
/// What a connection may hold of all: a twelfth.
const OF_CONNECTION: usize = 12;
/// The least that a connection may hold, however small all of it is: some frames, and a head as long as is usual.
const LEAST_OF_CONNECTION: usize = 128 * 1024;
/// A connection that holds less than this is given more though its client or the process is at its bound, until the
/// process is an eighth above; and, of what is to be sent, a fourth: whoever takes what he is sent does not wait for
/// those who do not.
pub(super) const FLOOR: usize = 16 * 1024;
/// Memory is given back to the system after so much was held, and most of it was let go
const PEAK: usize = 4 * 1024 * 1024;

/// How much is held for clients, and the bounds that it has.
#[derive(Debug)]
pub(super) struct Bounds {
    limit: AtomicUsize,
    held: AtomicUsize,
    /// The most that was held since memory was given back.
    pub(super) peak: AtomicUsize,
    /// Told when something is let go while somebody waits at the process's bound.
    pub(super) room: Bell,
    /// Told to whoever looks after it: it is at its bound, or there is memory to give back.
    pub(super) look: Notify,
    clients: Mutex<HashMap<IpAddr, Weak<ClientHeld>>>,
    /// Of all caches that there are.
    bodies: ArcSwap<Vec<Arc<Bodies>>>,
    /// Clients that are near to their bound.
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
    /// Of so many bytes.
    pub(super) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            limit: limit.into(),
            held: AtomicUsize::new(0),
            peak: AtomicUsize::new(0),
            room: Bell::default(),
            look: Notify::new(),
            clients: Mutex::default(),
            bodies: ArcSwap::default(),
            short_clients: AtomicUsize::new(0),
            counts: Counts::default(),
        })
    }

    /// As it can be looked at.
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

    /// From now on it is so many bytes.
    pub(super) fn set_limit(&self, limit: usize) {
        self.limit.store(limit, Ordering::Relaxed);
        self.room.ring();
    }

    /// These are the bodies of all caches, from now on.
    pub(super) fn set_bodies(&self, bodies: Vec<Arc<Bodies>>) {
        self.bodies.store(Arc::new(bodies));
    }

    pub(super) fn limit(&self) -> usize {
        self.limit.load(Ordering::Relaxed)
    }

    pub(super) fn held(&self) -> usize {
        self.held.load(ORDER) + self.lent()
    }

    /// Nobody is ended before seven eighths are held, of all or of a client's part.
    pub(super) fn is_short(&self) -> bool {
        self.too_much() > 0 || self.short_clients.load(Ordering::Relaxed) > 0
    }

    /// What is to be let go of, if too much is held.
    pub(super) fn too_much(&self) -> usize {
        let (held, lent, limit) = (self.held(), self.lent(), self.limit());
        let of_all = if held > limit / 8 * 7 { held - limit / 4 * 3 } else { 0 };
        let of_lent = if lent > limit / 8 * 3 { lent - limit / 4 } else { 0 };
        of_all.max(of_lent)
    }

    /// What is held for this client: one for all its connections.
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

    /// Of a client, so much more is held …
    pub(super) fn take_of(&self, client: &ClientHeld, bytes: usize) {
        if client.take(bytes) {
            self.client_is_short();
        }
    }

    /// … or so much less.
    pub(super) fn give_of(&self, client: &ClientHeld, bytes: usize) {
        if client.give(bytes) {
            self.client_is_short_no_more();
        }
        client.room.ring();
    }

    /// A connection does not use it any more: the last one takes it off the list.
    pub(super) fn leave(&self, held: Arc<ClientHeld>) {
        let client = held.client();
        let mut clients = self.clients();
        drop(held);
        if clients.get(&client).is_some_and(|held| held.strong_count() == 0) {
            clients.remove(&client);
        }
    }

    fn client_is_short(&self) {
        self.short_clients.fetch_add(1, Ordering::Relaxed);
        self.look.notify_one();
    }

    fn client_is_short_no_more(&self) {
        self.short_clients.fetch_sub(1, Ordering::Relaxed);
    }

    pub(super) fn has_fallen(&self) -> bool {
        let peak = self.peak.load(Ordering::Relaxed);
        peak >= PEAK && self.held() < peak / 4
    }

    /// How much more may be held.
    pub(super) fn left(&self) -> usize {
        self.limit().saturating_sub(self.held())
    }

    /// Whether so much is held that no request is begun any more …
    pub(super) fn is_over(&self) -> bool {
        let limit = self.limit();
        self.held() >= limit + limit / 8
    }

    /// … and so much that nothing is sent any more until something has been taken.
    pub(super) fn is_far_over(&self) -> bool {
        let limit = self.limit();
        self.held() >= limit + limit / 4
    }

    /// Whether so much is sent that caches do not store any more, that nothing more is sent from them.
    pub(super) fn is_lent_out(&self) -> bool {
        self.lent() >= self.limit() / 2
    }

    /// What caches have made, beyond their bounds.
    pub(super) fn lent(&self) -> usize {
        self.bodies.load().iter().map(|bodies| bodies.excess()).sum()
    }

    pub(super) fn take(&self, bytes: usize) {
        self.held.fetch_add(bytes, ORDER);
        let held = self.held();
        // Others may do so too: a peak that is told too low by a piece is no harm.
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

/// One more.
pub(super) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}
