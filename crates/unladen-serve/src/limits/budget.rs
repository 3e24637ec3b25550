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

mod bell;
mod bodies;
mod bounds;
mod claim;
mod client;
mod order;
mod pace;
mod share;
mod shed;

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::Instant;
use unladen_observability::{ClientMemory, ClientMemoryState};

pub(crate) use self::bodies::Bodies;
use self::bounds::Bounds;
pub(crate) use self::claim::Claim;
use self::share::Holders;
pub(crate) use self::share::{Held, Share};

/// How often the process checks while it is at its bound …
const LOOK: Duration = Duration::from_millis(250);
/// … and the least time between returns of memory, which take some milliseconds.
const REST: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(crate) struct Budget {
    bounds: Arc<Bounds>,
    holders: Arc<Holders>,
}

// === impl Budget ===

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
                shed::shed(&self.bounds, &self.holders);
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

#[cfg(test)]
mod tests;
