//! The principal type is [`Plan`]: what the threads are to do from now on. The control thread makes one at the start
//! and at each reload; the threads follow the latest.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use unladen_acme::{Answers, Held, Wanted};
use unladen_fleet::{Fleet, Hold, Position};
use unladen_pool::Upstream;
use unladen_serve_config::{ClientSettings, ListenAddress};

use crate::cache::Cache;
use crate::proxy::Proxy;
use crate::site::Site;
use crate::site::hosts::Hosts;
use crate::site::tls::Acceptor;
use crate::tier::Tier;

/// What the threads are to do from now on.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The places beside applications, and in front of them.
    pub(crate) places: Vec<Planned>,
    /// Where clients come in.
    pub(crate) entrances: Vec<Entrance>,
    /// Of requests without a decision of their caller, the share that is traced; none: no traces are made, and
    /// `traceparent` is passed on as it came.
    pub(crate) trace_sample: Option<f64>,
    /// The certificates that authorities issue.
    pub(crate) certificates: Vec<(Wanted, Arc<Held>)>,
    /// What authorities are answered.
    pub(crate) answers: Arc<Answers>,
    /// The fleet that this process is a node of …
    pub(crate) fleet: Option<Arc<Fleet>>,
    /// … and up to where it had forgotten when this plan was begun: what was purged later is forgotten by its sites again.
    pub(crate) forgotten: Option<Position>,
    /// The nodes that are asked before applications are, and answered.
    pub(crate) tier: Option<Arc<Tier>>,
    /// Until its sites are known to those who have them forget, nothing is read of the fleet.
    pub(crate) hold: Mutex<Option<Hold>>,
    /// Whether it goes on.
    pub(crate) state: State,
}

/// A place.
#[derive(Clone, Debug)]
pub(crate) struct Planned {
    /// The place; of a site, the one from where it calls its application.
    pub(crate) proxy: Arc<Proxy>,
    /// If it is in front of an application.
    pub(crate) site: Option<Arc<Site>>,
}

/// An address, and who answers there.
#[derive(Clone, Debug)]
pub(crate) struct Entrance {
    /// Kept over a reload, if it is to stay.
    pub(crate) listener: Arc<Listener>,
    /// Whose connections they are before a request says whom it is for: of several sites the first's.
    pub(crate) proxy: Arc<Proxy>,
    /// What bounds them until then: of several sites, the most generous of each. What a site says of heads holds as soon
    /// as one says that it is for that site.
    pub(crate) bounds: Arc<ClientSettings>,
    /// If it is in front of an application.
    pub(crate) site: Option<Arc<Site>>,
    /// Whether that one sends clients on to https.
    pub(crate) redirects: bool,
    /// Which site a request is for; none: all are for that one.
    pub(crate) hosts: Option<Arc<Hosts<Tenant>>>,
    /// As whom the sites appear; none: plain HTTP.
    pub(crate) acceptor: Option<Arc<Acceptor>>,
}

/// A site at an address.
#[derive(Clone, Debug)]
pub(crate) struct Tenant {
    pub(crate) site: Arc<Site>,
    /// Whether it sends clients on to https there.
    pub(crate) redirects: bool,
}

/// An address that is listened at.
#[derive(Debug)]
pub(crate) struct Listener {
    /// The same as long as the sockets are.
    pub(crate) id: u64,
    pub(crate) address: ListenAddress,
    /// Of several threads: the n-th is for thread n modulo their number. They do not block.
    pub(crate) sockets: Vec<ListenSocket>,
}

/// A listening socket.
#[derive(Debug)]
pub(crate) enum ListenSocket {
    Tcp(std::net::TcpListener),
    /// Of a Unix socket.
    Unix(std::os::unix::net::UnixListener),
}

/// Whether `serve` goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Running,
    /// It is to stop, and whoever sends clients here may not have heard of it: they are accepted, and each answer is its
    /// connection's last.
    Leaving,
    /// Nothing is accepted any more; what was is answered, each answer being its connection's last.
    Draining {
        /// Connections that wait for a request are closed then: soon if nobody else listens, since a request that comes
        /// just then is lost either way; late after a handover.
        idle_until: Instant,
        until: Instant,
    },
}

impl Plan {
    /// Those that its places lead to.
    pub(crate) fn upstreams(&self) -> Vec<Arc<Upstream>> {
        self.proxies().map(|proxy| proxy.upstream.clone()).collect()
    }

    /// The same, while those who send clients here hear that it stops. What is held back is held by this one.
    pub(crate) fn leaving(&self) -> Self {
        Self {
            places: self.places.clone(),
            entrances: self.entrances.clone(),
            trace_sample: self.trace_sample,
            certificates: self.certificates.clone(),
            answers: self.answers.clone(),
            fleet: self.fleet.clone(),
            forgotten: self.forgotten.clone(),
            tier: self.tier.clone(),
            hold: Mutex::new(self.held().take()),
            state: State::Leaving,
        }
    }

    /// Before threads follow it: if something may be stored that those who have the sites of before forget would not find,
    /// the fleet counts on this node only once it is known to them, and all of meanwhile is forgotten again.
    pub(crate) fn hold_fleet(&self, before: &Self) {
        // That one may never have come to be known.
        let waits = before.held().take();
        let Some(fleet) = &self.fleet else { return };
        // Another one begins once this plan is known.
        if !before.fleet.as_ref().is_some_and(|before| Arc::ptr_eq(before, fleet)) {
            return;
        }
        let hold = if self.keeps_as(before) { waits } else { Some(fleet.hold()) };
        if !self.keeps_as(before) {
            fleet.rewind(self.forgotten.clone());
        }
        *self.held() = hold;
    }

    /// What those who have its sites forget hold back until they know them.
    pub(crate) fn held(&self) -> MutexGuard<'_, Option<Hold>> {
        self.hold.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether all that its sites store is stored, and found, as by those of the plan before.
    fn keeps_as(&self, before: &Self) -> bool {
        let known: Vec<_> = before.caches().map(|cache| Arc::as_ptr(&cache.fetches)).collect();
        // Those are another's as soon as anything else is.
        self.caches().all(|cache| known.contains(&Arc::as_ptr(&cache.fetches)))
    }

    fn caches(&self) -> impl Iterator<Item = &Cache> {
        self.places.iter().filter_map(|planned| planned.site.as_ref()?.cache.as_ref())
    }

    /// Those of places, and of their routes.
    pub(crate) fn proxies(&self) -> impl Iterator<Item = &Arc<Proxy>> {
        self.places.iter().flat_map(|planned| {
            let routes = planned.site.iter().filter_map(|site| Some((site.routes.as_ref()?, site)));
            let others = routes.flat_map(|(routes, site)| routes.proxies(&site.proxy));
            // Of a site that has files alone, there is nothing to follow.
            let own = Some(&planned.proxy).filter(|proxy| planned.site.is_none() || proxy.calls_somebody());
            own.into_iter().chain(others)
        })
    }
}

#[cfg(test)]
mod tests;
