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

/// How often the process looks while it is at its bound.
const LOOK: Duration = Duration::from_millis(250);
/// … and no more often than this: it takes some milliseconds.
const REST: Duration = Duration::from_secs(5);

/// How much memory the process holds for clients.
#[derive(Debug)]
pub(crate) struct Budget {
    bounds: Arc<Bounds>,
    /// Connections that something is held for.
    holders: Arc<Holders>,
}

// === impl Budget ===

impl Budget {
    /// Of so many bytes.
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { bounds: Bounds::new(limit), holders: Arc::default() })
    }

    /// From now on it is so many bytes.
    pub(crate) fn set_limit(&self, limit: usize) {
        self.bounds.set_limit(limit);
    }

    /// These are the bodies of all caches, from now on.
    pub(crate) fn set_bodies(&self, bodies: Vec<Arc<Bodies>>) {
        self.bounds.set_bodies(bodies);
    }

    /// The share of a connection of this client; none: it came by a Unix socket, or is nobody's.
    pub(crate) fn share(&self, client: Option<IpAddr>) -> Arc<Share> {
        Share::new(self.bounds.clone(), self.holders.clone(), client)
    }

    /// Whether so much is sent that caches do not store any more, that nothing more is sent from them.
    pub(crate) fn is_lent_out(&self) -> bool {
        self.bounds.is_lent_out()
    }

    /// Ends who takes least while there is too little, and gives memory back to the system; for as long as the process
    /// lives.
    pub(crate) async fn look_after(self: Arc<Self>, give_back: impl Fn() + Clone + Send + 'static) {
        let mut rests_until = Instant::now();
        let mut is_owed = false;
        loop {
            if is_owed || self.bounds.has_fallen() {
                // Nobody waits for that who has to be ended.
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
                // What caches have made does not tell when it is let go.
                self.bounds.room.ring();
            }
            self.bounds.room.ring();
            let has_fallen = self.bounds.has_fallen();
            if (is_owed || has_fallen) && Instant::now() >= rests_until {
                self.bounds.peak.store(self.bounds.held(), Ordering::Relaxed);
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
}

impl ClientMemory for Budget {
    fn state(&self) -> ClientMemoryState {
        self.bounds.state()
    }
}

#[cfg(test)]
mod tests;
