//! The principal type is [`Budget`]: how much memory the process holds for clients, and how much it may.
//!
//! What is held because somebody asked, and is let go when they take their answer, is counted here: pieces of bodies
//! that wait to be sent, bodies of requests that wait for the application, heads of requests. What all clients share
//! (the cache) is not: it has a bound of its own; but what is sent and no longer stored is ([`Bodies`]). A connection
//! has a [`Share`]; whatever is held for it has a [`Held`], which gives the bytes back when it is dropped; whoever may
//! have to wait for room has a [`Claim`].
//!
//! There are three bounds: of a connection, of a client (an address; of IPv6 its /64), and of the process. Who is at a
//! bound waits until some of what is held was taken. If the process is at its bound, those who take least of what is
//! held for them are ended ([`shed`]).

mod bell;
mod bodies;
mod claim;
mod client;
mod pace;
mod share;
mod shed;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use arc_swap::ArcSwap;
use tokio::sync::Notify;
use tokio::time::Instant;
use unladen_observability::{ClientMemory, ClientMemoryState};

use self::bell::Bell;
pub(crate) use self::bodies::Bodies;
pub(crate) use self::claim::Claim;
use self::client::ClientHeld;
pub(crate) use self::share::{Held, Share};

/// What a client may hold of all: a fourth.
const OF_CLIENT: usize = 4;
/// What a connection may hold of all: a twelfth.
const OF_CONNECTION: usize = 12;
/// The least that a connection may hold, however small all of it is: some frames, and a head as long as is usual.
const LEAST_OF_CONNECTION: usize = 128 * 1024;
/// A connection that holds less than this is given more though its client or the process is at its bound, until the
/// process is an eighth above; and, of what is to be sent, a fourth: whoever takes what he is sent does not wait for
/// those who do not.
const FLOOR: usize = 16 * 1024;
/// How often the process looks while it is at its bound.
const LOOK: Duration = Duration::from_millis(250);
/// Memory is given back to the system after so much was held, and most of it was let go …
const PEAK: usize = 4 * 1024 * 1024;
/// … and no more often than this: it takes some milliseconds.
const REST: Duration = Duration::from_secs(5);

/// Of what is held: who lets go looks afterwards whether somebody waits, and who waits looks afterwards whether
/// something was let go. Where the one's look could pass its change, neither would see the other.
const ORDER: Ordering = Ordering::SeqCst;

/// How much memory the process holds for clients.
#[derive(Debug)]
pub(crate) struct Budget {
    limit: AtomicUsize,
    held: AtomicUsize,
    /// The most that was held since memory was given back.
    peak: AtomicUsize,
    /// Told when something is let go while somebody waits at the process's bound.
    room: Bell,
    /// Told to whoever looks after it: it is at its bound, or there is memory to give back.
    look: Notify,
    clients: Mutex<HashMap<IpAddr, Weak<ClientHeld>>>,
    /// Of all caches that there are.
    bodies: ArcSwap<Vec<Arc<Bodies>>>,
    /// Clients that are near to their bound.
    short_clients: AtomicUsize,
    /// Connections that something is held for.
    holders: Mutex<Vec<Weak<Share>>>,
    counts: Counts,
}

#[derive(Debug, Default)]
struct Counts {
    at_connection: AtomicU64,
    at_client: AtomicU64,
    at_process: AtomicU64,
    ended_slow: AtomicU64,
    ended_stalled: AtomicU64,
}

// === impl Budget ===

impl Budget {
    /// Of so many bytes.
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            limit: limit.into(),
            held: AtomicUsize::new(0),
            peak: AtomicUsize::new(0),
            room: Bell::default(),
            look: Notify::new(),
            clients: Mutex::default(),
            bodies: ArcSwap::default(),
            short_clients: AtomicUsize::new(0),
            holders: Mutex::default(),
            counts: Counts::default(),
        })
    }

    /// From now on it is so many bytes.
    pub(crate) fn set_limit(&self, limit: usize) {
        self.limit.store(limit, Ordering::Relaxed);
        self.room.ring();
    }

    /// These are the bodies of all caches, from now on.
    pub(crate) fn set_bodies(&self, bodies: Vec<Arc<Bodies>>) {
        self.bodies.store(Arc::new(bodies));
    }

    /// The share of a connection of this client; none: it came by a Unix socket, or is nobody's.
    pub(crate) fn share(self: &Arc<Self>, client: Option<IpAddr>) -> Arc<Share> {
        Share::new(self.clone(), client)
    }

    /// Ends who takes least while there is too little, and gives memory back to the system; for as long as the process
    /// lives.
    pub(crate) async fn look_after(self: Arc<Self>, give_back: impl Fn() + Clone + Send + 'static) {
        let mut rests_until = Instant::now();
        let mut is_owed = false;
        loop {
            if is_owed || self.has_fallen() {
                // Nobody waits for that who has to be ended.
                tokio::select! {
                    () = self.look.notified() => (),
                    () = tokio::time::sleep_until(rests_until) => (),
                }
            } else {
                self.look.notified().await;
            }
            while self.is_short() {
                self.shed();
                tokio::time::sleep(LOOK).await;
                // What caches have made does not tell when it is let go.
                self.room.ring();
            }
            self.room.ring();
            let has_fallen = self.has_fallen();
            if (is_owed || has_fallen) && Instant::now() >= rests_until {
                self.peak.store(self.held(), Ordering::Relaxed);
                let give_back = give_back.clone();
                // It fails if the process ends.
                let _ = tokio::task::spawn_blocking(give_back).await;
                rests_until = Instant::now() + REST;
                // Connections end after what was held for them was let go of: what they took besides is given back when
                // they have.
                is_owed = has_fallen;
            }
        }
    }

    fn limit(&self) -> usize {
        self.limit.load(Ordering::Relaxed)
    }

    fn held(&self) -> usize {
        self.held.load(ORDER) + self.lent()
    }

    /// Nobody is ended before seven eighths are held, of all or of a client's part.
    fn is_short(&self) -> bool {
        self.too_much() > 0 || self.short_clients.load(Ordering::Relaxed) > 0
    }

    /// What is to be let go of, if too much is held.
    fn too_much(&self) -> usize {
        let (held, lent, limit) = (self.held(), self.lent(), self.limit());
        let of_all = if held > limit / 8 * 7 { held - limit / 4 * 3 } else { 0 };
        let of_lent = if lent > limit / 8 * 3 { lent - limit / 4 } else { 0 };
        of_all.max(of_lent)
    }

    fn client_is_short(&self) {
        self.short_clients.fetch_add(1, Ordering::Relaxed);
        self.look.notify_one();
    }

    fn client_is_short_no_more(&self) {
        self.short_clients.fetch_sub(1, Ordering::Relaxed);
    }

    fn has_fallen(&self) -> bool {
        let peak = self.peak.load(Ordering::Relaxed);
        peak >= PEAK && self.held() < peak / 4
    }

    /// How much more may be held.
    fn left(&self) -> usize {
        self.limit().saturating_sub(self.held())
    }

    /// Whether so much is held that no request is begun any more …
    fn is_over(&self) -> bool {
        let limit = self.limit();
        self.held() >= limit + limit / 8
    }

    /// … and so much that nothing is sent any more until something has been taken.
    fn is_far_over(&self) -> bool {
        let limit = self.limit();
        self.held() >= limit + limit / 4
    }

    /// Whether so much is sent that caches do not store any more, that nothing more is sent from them.
    pub(crate) fn is_lent_out(&self) -> bool {
        self.lent() >= self.limit() / 2
    }

    /// What caches have made, beyond their bounds.
    fn lent(&self) -> usize {
        self.bodies.load().iter().map(|bodies| bodies.excess()).sum()
    }

    fn take(&self, bytes: usize) {
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

    fn give(&self, bytes: usize) {
        self.held.fetch_sub(bytes, ORDER);
        self.room.ring();
        if self.has_fallen() {
            self.look.notify_one();
        }
    }

    fn connection_limit(&self) -> usize {
        (self.limit() / OF_CONNECTION).max(LEAST_OF_CONNECTION)
    }

    fn client_limit(&self) -> usize {
        (self.limit() / OF_CLIENT).max(LEAST_OF_CONNECTION)
    }

    fn holders(&self) -> MutexGuard<'_, Vec<Weak<Share>>> {
        self.holders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn clients(&self) -> MutexGuard<'_, HashMap<IpAddr, Weak<ClientHeld>>> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ClientMemory for Budget {
    fn state(&self) -> ClientMemoryState {
        let Counts { at_connection, at_client, at_process, ended_slow, ended_stalled } = &self.counts;
        ClientMemoryState {
            limit: self.limit(),
            held: self.held(),
            reached: [at_connection, at_client, at_process].map(|count| count.load(Ordering::Relaxed)),
            ended_slow: ended_slow.load(Ordering::Relaxed),
            ended_stalled: ended_stalled.load(Ordering::Relaxed),
        }
    }
}

fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

#[cfg(test)]
mod tests;
