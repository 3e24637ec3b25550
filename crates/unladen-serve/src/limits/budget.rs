//! The principal type is [`Budget`]: how much memory the process holds for clients, and may hold.
//!
//! Counted is what a client's request causes to be held until it takes the answer: pieces of bodies waiting to be sent,
//! request bodies waiting for the application, request heads. The shared cache has a bound of its own, but bodies still
//! being sent that it no longer stores count ([`Bodies`]). A connection has a [`Share`]; memory held for it is a
//! [`Held`], which returns the bytes when dropped; a [`Claim`] waits for room.
//!
//! There are three bounds: for a connection, a client (an address, or an IPv6 /64), and the process. At a bound, one
//! waits until some of what is held was taken. At the process's bound, connections that take least of what is held for
//! them are ended ([`shed`]).

mod bounds;
mod share;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use tokio::time::Instant;
use unladen_observability::{ClientMemory, ClientMemoryState};

use self::bounds::{Bounds, count};
use self::share::Holders;

pub(crate) use self::bounds::Bodies;
pub(crate) use self::share::{Claim, Held, Share};

/// How often the process checks while it is at its bound …
const LOOK: Duration = Duration::from_millis(250);
/// … and the least time between returns of memory, which take some milliseconds.
const REST: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(crate) struct Budget {
    bounds: Arc<Bounds>,
    holders: Arc<Holders>,
}

impl Budget {
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { bounds: Bounds::new(limit), holders: Arc::default() })
    }

    pub(crate) fn set_limit(&self, limit: usize) {
        self.bounds.set_limit(limit);
    }

    pub(crate) fn set_bodies(&self, bodies: Vec<Arc<Bodies>>) {
        self.bounds.set_bodies(bodies);
    }

    /// Share of a connection of this client; `None` for a Unix socket or a proxy that speaks for many.
    pub(crate) fn share(&self, client: Option<IpAddr>) -> Arc<Share> {
        Share::new(self.bounds.clone(), self.holders.clone(), client)
    }

    /// Whether so many bodies no longer stored are being sent that nothing more is sent from caches.
    pub(crate) fn is_lent_out(&self) -> bool {
        self.bounds.is_lent_out()
    }

    /// Ends slow takers while memory is short, and gives memory back to the system; for as long as the process lives.
    pub(crate) async fn look_after(self: Arc<Self>, give_back: impl Fn() + Clone + Send + 'static) {
        let mut rests_until = Instant::now();
        let mut is_owed = false;
        loop {
            if is_owed || self.bounds.has_fallen() {
                // Ending connections does not wait for that.
                tokio::select! {
                    () = self.bounds.look.notified() => (),
                    () = tokio::time::sleep_until(rests_until) => (),
                }
            } else {
                self.bounds.look.notified().await;
            }
            while self.bounds.is_short() {
                shed(&self.bounds, &self.holders, milliseconds());
                tokio::time::sleep(LOOK).await;
                // Bodies made by caches do not signal their release.
                self.bounds.room.ring();
            }
            self.bounds.room.ring();
            let has_fallen = self.bounds.has_fallen();
            if (is_owed || has_fallen) && Instant::now() >= rests_until {
                self.bounds.peak.store(self.bounds.held(), Ordering::Relaxed);
                let give_back = give_back.clone();
                // Fails only if the process ends.
                let _ = tokio::task::spawn_blocking(give_back).await;
                rests_until = Instant::now() + REST;
                // Connections end after what was held for them is released; their own memory is given back then.
                is_owed = has_fallen;
            }
        }
    }
}

impl ClientMemory for Budget {
    fn state(&self) -> ClientMemoryState {
        self.bounds.state()
    }
}

/// Bytes a second that always count as fast enough.
pub(crate) const LEAST_RATE: u64 = 16 * 1024;
/// Time a connection is observed before it is judged.
const MILLISECONDS: u64 = 1000;

/// Ends the slowest takers while the process is at its bound: those whose bytes would stay longest, until at most three
/// fourths are held, of the process's bound and each client's. Connections that wait for the application, with nothing
/// to take, are exempt.
fn shed(bounds: &Bounds, holders: &Holders, now: u64) {
    let holders = holders.all().iter().filter_map(Weak::upgrade).collect::<Vec<_>>();
    let waiting = holders.into_iter().filter(|share| share.is_waiting() && !share.is_ended());
    let mut slow: Vec<(u64, Arc<Share>)> = waiting.filter_map(|share| Some((stay(&share, now)?, share))).collect();
    slow.sort_by_key(|(stay, _)| std::cmp::Reverse(*stay));
    let mut too_much = bounds.too_much();
    // Bytes still to be released, by client.
    let mut of_clients: HashMap<usize, usize> = HashMap::new();
    for (_, share) in slow {
        let held = share.held();
        let of_client = share.clients_too_much().map(|(client, bytes)| of_clients.entry(client).or_insert(bytes));
        if too_much == 0 && of_client.as_ref().is_none_or(|bytes| **bytes == 0) {
            continue;
        }
        too_much = too_much.saturating_sub(held);
        if let Some(bytes) = of_client {
            *bytes = bytes.saturating_sub(held);
        }
        count(&bounds.counts.ended_slow);
        share.end();
    }
}

/// Milliseconds until what is held would be taken at the current rate; `None` if that is fast enough, or not known yet.
fn stay(share: &Share, now: u64) -> Option<u64> {
    let (at, moved) = (share.pace.at.load(Ordering::Relaxed), share.moved());
    let since = now.saturating_sub(at.saturating_sub(1));
    if at != 0 && since < MILLISECONDS {
        return None;
    }
    let taken = moved.saturating_sub(share.pace.moved.swap(moved, Ordering::Relaxed));
    share.pace.at.store(now + 1, Ordering::Relaxed);
    // An old observation says nothing: start anew.
    if at == 0 || since > 10 * MILLISECONDS {
        return None;
    }
    let rate = taken * 1000 / since;
    (rate < LEAST_RATE).then(|| share.held() as u64 * 1000 / rate.max(1))
}

/// Since the first call.
fn milliseconds() -> u64 {
    static FIRST: OnceLock<std::time::Instant> = OnceLock::new();
    u64::try_from(FIRST.get_or_init(std::time::Instant::now).elapsed().as_millis()).unwrap_or(u64::MAX / 2)
}

#[cfg(test)]
mod tests;
