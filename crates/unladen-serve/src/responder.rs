//! Who answers a listener's requests. The principal types are [`Slot`], where the listener's connections lead, and
//! [`Responder`]: a new kind gets a variant.
//!
//! A site's answer is a pipeline: each stage has a file, and calls the one that follows. A request meets them in this
//! order.
//!
//! ```text
//! early     what ends here: an authority's challenge, the last hop of TRACE and OPTIONS, a name of no site here; and,
//!           once admitted, redirects to https
//! admit     who asks, and its rates; PURGE ends here (purge), and what a peer asks is known (peers)
//! route     if there are any: which takes it, whom it lets in, and what answers: the application, or files (files)
//! lookup    whether it may be answered from memory, and its key
//!   ask       a validator, what the page's version is now
//!             what is stored, and whether it answers (cache/cache_lookup)
//! respond   … it does: it is sent, as are local replies; and reported
//! wait      … it does not: the application's answer is waited for, together with others; one has it fetched (fetch)
//! pass      … the application answers this client alone
//! ```

pub(crate) mod admit;
pub(crate) mod ask;
mod early;
pub(crate) mod fetch;
mod files;
mod lookup;
mod pass;
mod peers;
mod purge;
mod respond;
mod route;
mod wait;

use std::cell::{Cell, RefCell};
use std::net::IpAddr;
use std::rc::Rc;
use std::sync::Arc;

use tokio::sync::Notify;
use unladen_http1::Request;
use unladen_observability::{Reason, UpstreamIndex, Version};

use self::admit::{Arrival, InboundRequest};
use crate::context::Context;
use crate::message::downstream::ClientSide;
use crate::message::stream::Guard;
use crate::plan::{Destination, Tenant};
use crate::proxy::Proxy;
use crate::request::Finished;
use crate::site::Site;
use crate::site::trust::{Named, Peer};
use crate::transaction::Transaction;

/// A listener, as its connections on a thread see it.
pub(crate) struct Slot {
    /// Replaced by a reload.
    pub(crate) to: RefCell<Arc<Destination>>,
    pub(crate) index: Cell<UpstreamIndex>,
    /// Whether accepting is to end; `stop` is notified when it begins.
    pub(crate) is_stopping: Cell<bool>,
    pub(crate) stop: Notify,
}

impl Slot {
    pub(crate) fn new(to: Arc<Destination>, index: UpstreamIndex) -> Self {
        let (to, index) = (RefCell::new(to), Cell::new(index));
        Self { to, index, is_stopping: Cell::new(false), stop: Notify::new() }
    }

    /// Who answers a request, by its `Host` or `:authority`, and the index it is counted under.
    pub(crate) fn find<'p>(
        &self,
        request: &Request,
        version: Version,
        peer: &Peer,
        proxy: &'p Proxy,
    ) -> (Responder<'p>, UpstreamIndex) {
        let (index, to) = (self.index.get(), self.to.borrow());
        let Some(site) = &to.site else { return (Responder::Outbound(proxy), index) };
        let Some(hosts) = &to.hosts else { return (Responder::of(site.clone(), to.redirects), index) };
        let Some(Tenant { site: found, redirects }) = hosts.find(&request.authority).cloned() else {
            return (Responder::Refused(site.clone(), Reason::Misdirected), index);
        };
        // A client shown another site's certificate has no proof that this site is here too.
        if peer.named.is_some_and(|named| !is_shown_as(named, &found)) {
            return (Responder::Refused(found, Reason::Misdirected), index);
        }
        let index = found.proxy.index(index);
        // It was read under the bounds of the most generous site here.
        if let Some(fault) = found.proxy.refuses(request, version, &to.bounds) {
            return (Responder::Refused(found, Reason::Malformed(fault)), index);
        }
        (Responder::of(found, redirects), index)
    }

    pub(crate) fn named(&self, name: &str) -> Option<Named> {
        let to = self.to.borrow();
        let tenant = to.hosts.as_ref()?.find(name.as_bytes())?;
        Some(tenant.site.named)
    }

    /// Address whose per-client bounds apply; `None` for a trusted proxy, which speaks for many.
    pub(crate) fn client(&self, peer: &Peer) -> Option<IpAddr> {
        let speaks_for_many = |site: &Arc<Site>| site.trust.is_trusted_peer(peer.address);
        peer.address.filter(|_| !self.to.borrow().site.as_ref().is_some_and(speaks_for_many))
    }
}

/// Whether a client that named one site in TLS may ask for another: both show the same certificates.
fn is_shown_as(named: Named, site: &Site) -> bool {
    let own = site.named;
    named.site == own.site || named.appearance == own.appearance
}

/// An enum rather than a trait object: no future is boxed for each request.
pub(crate) enum Responder<'p> {
    Outbound(&'p Proxy),
    Site(Arc<Site>),
    Redirect(Arc<Site>),
    /// No site here has that name, or the site does not allow such a head: the site given replies so.
    Refused(Arc<Site>, Reason),
}

impl Responder<'_> {
    fn of(site: Arc<Site>, redirects: bool) -> Self {
        if redirects { Self::Redirect(site) } else { Self::Site(site) }
    }

    fn site(&self) -> Option<&Arc<Site>> {
        match self {
            Self::Outbound(_) => None,
            Self::Site(site) | Self::Redirect(site) | Self::Refused(site, _) => Some(site),
        }
    }

    fn proxy(&self) -> &Proxy {
        match self {
            Self::Outbound(proxy) => proxy,
            Self::Site(site) | Self::Redirect(site) | Self::Refused(site, _) => &site.proxy,
        }
    }

    pub(crate) fn guard(&self) -> Guard {
        self.site().map_or(Guard::None, |site| Guard::Client(site.settings.underscores))
    }

    /// Answers a request, which is in flight also while it waits for others.
    pub(crate) async fn respond(
        &self,
        context: &Rc<Context>,
        arrival: Arrival,
        request: &mut Request,
        to: &mut ClientSide<'_, '_>,
    ) -> Finished {
        context.observability.begin(arrival.index);
        let finished = self.answer(context, arrival, request, to).await;
        context.observability.end(arrival.index);
        finished
    }

    async fn answer(
        &self,
        context: &Rc<Context>,
        arrival: Arrival,
        request: &mut Request,
        to: &mut ClientSide<'_, '_>,
    ) -> Finished {
        // First of all: access rules and redirects are no concern of a certificate authority.
        if let Some(site) = self.site()
            && let Some(page) = site.answers.page(&request.target)
        {
            return InboundRequest::new(context, site, arrival).challenge(request, to, &page).await;
        }
        if let Some(status) = early::counted(request) {
            return early::last_hop(self.proxy(), context, &arrival, request, to, status).await;
        }
        match self {
            Self::Outbound(proxy) => {
                let Arrival { index, version, began, now, .. } = arrival;
                let transaction =
                    Transaction { version, now, ..Transaction::new(context, proxy, index, request, began) };
                transaction.run(to).await
            }
            Self::Site(site) => InboundRequest::new(context, site, arrival).run(request, to).await,
            Self::Redirect(site) => InboundRequest::new(context, site, arrival).redirect(request, to).await,
            Self::Refused(site, reason) => {
                InboundRequest::new(context, site, arrival).refused(request, to, *reason).await
            }
        }
    }
}
