//! The principal type is [`Plan`]: what the threads are to do. The control thread makes one at the start and at each
//! reload; the threads follow the latest, and the background work a [`Snapshot`].

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use unladen_acme::{Answers, Held, Wanted};
use unladen_fleet::{Fleet, Hold, Position};
use unladen_pool::Upstream;
use unladen_serve_config::{ClientSettings, Config, ListenAddress};

use crate::cache::Cache;
use crate::proxy::Proxy;
use crate::site::Site;
use crate::site::hosts::Hosts;
use crate::site::tls::Acceptor;
use crate::tier::Tier;

#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) places: Vec<Planned>,
    pub(crate) entrances: Vec<Entrance>,
    /// Share of the requests without a sampling decision that is traced; `None` if there are no traces, and
    /// `traceparent` is passed on.
    pub(crate) trace_sample: Option<f64>,
    pub(crate) certificates: Vec<(Wanted, Arc<Held>)>,
    pub(crate) answers: Arc<Answers>,
    /// The fleet that this process is a node of …
    pub(crate) fleet: Option<Arc<Fleet>>,
    /// … and its position when this plan was begun: later purges are applied to the sites again.
    pub(crate) forgotten: Option<Position>,
    pub(crate) tier: Option<Arc<Tier>>,
    /// Keeps the fleet unread until its sites are known to those who purge.
    pub(crate) hold: Mutex<Option<Hold>>,
    pub(crate) state: State,
}

/// Input of the background work: names, health, the admin's address.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) plan: Arc<Plan>,
    pub(crate) config: Arc<Config>,
    pub(crate) shows: Shows,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Shows {
    /// For this machine.
    pub(crate) admin: Option<Arc<Listener>>,
    /// For a supervisor elsewhere.
    pub(crate) probes: Option<Arc<Listener>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Planned {
    /// For a site, where it calls its application.
    pub(crate) proxy: Arc<Proxy>,
    pub(crate) site: Option<Arc<Site>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Entrance {
    /// Kept over a reload if the address stays.
    pub(crate) listener: Arc<Listener>,
    pub(crate) to: Arc<Destination>,
}

/// Where a listener's connections lead.
#[derive(Clone, Debug)]
pub(crate) struct Destination {
    /// Counts connections before a request names its site: the first site's.
    pub(crate) proxy: Arc<Proxy>,
    /// Bounds until then: of several sites, the most generous of each. A site's own bounds on heads apply once a head
    /// names it.
    pub(crate) bounds: Arc<ClientSettings>,
    /// Set if it is in front of an application.
    pub(crate) site: Option<Arc<Site>>,
    pub(crate) redirects: bool,
    /// Finds the site of a request; `None` if all requests are for `site`.
    pub(crate) hosts: Option<Arc<Hosts<Tenant>>>,
    /// TLS; `None` for plain HTTP.
    pub(crate) acceptor: Option<Arc<Acceptor>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Tenant {
    pub(crate) site: Arc<Site>,
    pub(crate) redirects: bool,
}

#[derive(Debug)]
pub(crate) struct Listener {
    /// Unchanged as long as the sockets are.
    pub(crate) id: u64,
    pub(crate) address: ListenAddress,
    /// The n-th is for thread n modulo their number. Non-blocking.
    pub(crate) sockets: Vec<ListenSocket>,
}

#[derive(Debug)]
pub(crate) enum ListenSocket {
    Tcp(std::net::TcpListener),
    Unix(std::os::unix::net::UnixListener),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum State {
    #[default]
    Running,
    /// About to stop, but load balancers may not know: clients are accepted, and each answer is its connection's last.
    Leaving,
    /// Nothing is accepted any more; each remaining answer is its connection's last.
    Draining {
        /// When idle connections are closed: soon if nobody else listens, since a request that comes then is lost
        /// either way; late after a handover.
        idle_until: Instant,
        until: Instant,
    },
}

impl Plan {
    pub(crate) fn upstreams(&self) -> Vec<Arc<Upstream>> {
        self.proxies().map(|proxy| proxy.upstream.clone()).collect()
    }

    /// The same plan while load balancers learn that it stops. This one keeps the hold.
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

    /// To be called before threads follow it: if something may be stored that purges by the old sites would not find,
    /// the fleet counts on this node only once the new sites are known, and purges of meanwhile are applied again.
    pub(crate) fn hold_fleet(&self, before: &Self) {
        // The old plan may never have become known.
        let waits = before.held().take();
        let Some(fleet) = &self.fleet else { return };
        // A new fleet begins once this plan is known.
        if !before.fleet.as_ref().is_some_and(|before| Arc::ptr_eq(before, fleet)) {
            return;
        }
        let hold = if self.keeps_as(before) { waits } else { Some(fleet.hold()) };
        if !self.keeps_as(before) {
            fleet.rewind(self.forgotten.clone());
        }
        *self.held() = hold;
    }

    /// The hold to release once its sites are known.
    pub(crate) fn held(&self) -> MutexGuard<'_, Option<Hold>> {
        self.hold.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether its sites store in the same caches as the old plan's.
    fn keeps_as(&self, before: &Self) -> bool {
        let known: Vec<_> = before.caches().map(|cache| Arc::as_ptr(&cache.fetches)).collect();
        // Those change whenever anything else does.
        self.caches().all(|cache| known.contains(&Arc::as_ptr(&cache.fetches)))
    }

    fn caches(&self) -> impl Iterator<Item = &Cache> {
        self.places.iter().filter_map(|planned| planned.site.as_ref()?.cache.as_ref())
    }

    /// The proxies of places, and of their routes.
    pub(crate) fn proxies(&self) -> impl Iterator<Item = &Arc<Proxy>> {
        self.places.iter().flat_map(|planned| {
            let routes = planned.site.iter().filter_map(|site| Some((site.routes.as_ref()?, site)));
            let others = routes.flat_map(|(routes, site)| routes.proxies(&site.proxy));
            // A site with only files has nothing to follow.
            let own = Some(&planned.proxy).filter(|proxy| planned.site.is_none() || proxy.calls_somebody());
            own.into_iter().chain(others)
        })
    }
}

#[cfg(test)]
mod tests;
