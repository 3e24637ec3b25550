//! The principal type is [`Context`]: what the connections of one thread share.

use std::cell::{Cell, RefCell};
use std::net::IpAddr;
use std::rc::Rc;
use std::sync::Arc;

use tokio::sync::Notify;
use unladen_http1::{Fields, Request, Response};
use unladen_observability::{Observability, Reason, ThreadSeeing, UpstreamIndex, Version};
use unladen_serve_config::ClientSettings;

use crate::limits::budget::Budget;
use crate::limits::idle::Idle;
use crate::peer::{Named, Peer};
use crate::plan::{Entrance, Tenant};
use crate::proxy::Proxy;
use crate::site::Site;
use crate::site::hosts::Hosts;
use crate::site::tls::Acceptor;

pub(crate) struct Context {
    pub(crate) thread: usize,
    pub(crate) observability: ThreadSeeing,
    /// Bounds what is held for clients.
    pub(crate) budget: Arc<Budget>,
    /// Share of the requests without a sampling decision that is traced; `None` if there are no traces.
    pub(crate) trace_sample: Cell<Option<f64>>,
    /// Whether each answer is to be its connection's last.
    pub(crate) is_draining: Cell<bool>,
    /// Whether clients are accepted while it drains.
    pub(crate) is_leaving: Cell<bool>,
    /// Notified when draining begins, and when no more clients are accepted.
    pub(crate) drain: Notify,
    /// Notified when connections waiting for a request are to be closed.
    pub(crate) close_idle: Notify,
    pub(crate) idle: Idle,
    pub(crate) connections: Cell<usize>,
    #[allow(clippy::vec_box, reason = "they are handed out and back with each request, which moves a pointer")]
    spare_buffers: RefCell<Vec<Box<Buffers>>>,
}

/// Where a listener's connections lead; replaced by a reload.
pub(crate) struct Slot {
    pub(crate) proxy: RefCell<Arc<Proxy>>,
    pub(crate) bounds: RefCell<Arc<ClientSettings>>,
    pub(crate) site: RefCell<Option<Arc<Site>>>,
    redirects: Cell<bool>,
    hosts: RefCell<Option<Arc<Hosts<Tenant>>>>,
    pub(crate) acceptor: RefCell<Option<Arc<Acceptor>>>,
    pub(crate) index: Cell<UpstreamIndex>,
    /// Whether accepting is to end; `stop` is notified when it begins.
    pub(crate) is_stopping: Cell<bool>,
    pub(crate) stop: Notify,
}

impl Slot {
    pub(crate) fn new(entrance: &Entrance, index: UpstreamIndex) -> Self {
        Self {
            proxy: RefCell::new(entrance.proxy.clone()),
            bounds: RefCell::new(entrance.bounds.clone()),
            site: RefCell::new(entrance.site.clone()),
            redirects: Cell::new(entrance.redirects),
            hosts: RefCell::new(entrance.hosts.clone()),
            acceptor: RefCell::new(entrance.acceptor.clone()),
            index: Cell::new(index),
            is_stopping: Cell::new(false),
            stop: Notify::new(),
        }
    }

    pub(crate) fn become_this(&self, entrance: &Entrance, index: UpstreamIndex) {
        self.proxy.replace(entrance.proxy.clone());
        self.bounds.replace(entrance.bounds.clone());
        self.site.replace(entrance.site.clone());
        self.redirects.set(entrance.redirects);
        self.hosts.replace(entrance.hosts.clone());
        self.acceptor.replace(entrance.acceptor.clone());
        self.index.set(index);
    }

    pub(crate) fn redirects(&self) -> bool {
        self.redirects.get()
    }

    /// Who answers a request, by its `Host` or `:authority`, and the index it is counted under.
    pub(crate) fn find(&self, request: &Request, version: Version, peer: &Peer) -> (Found, UpstreamIndex) {
        let index = self.index.get();
        let Some(site) = self.site.borrow().clone() else { return (Found::Outbound, index) };
        let hosts = self.hosts.borrow();
        let Some(hosts) = &*hosts else { return (Found::of(site, self.redirects.get()), index) };
        let Some(Tenant { site: found, redirects }) = hosts.find(&request.authority).cloned() else {
            return (Found::Refused(site, Reason::Misdirected), index);
        };
        // A client shown another site's certificate has no proof that this site is here too.
        if peer.named.is_some_and(|named| !is_shown_as(named, &found)) {
            return (Found::Refused(found, Reason::Misdirected), index);
        }
        let index = found.proxy.index(index);
        // It was read under the bounds of the most generous site here.
        if let Some(fault) = found.proxy.refuses(request, version, &self.bounds.borrow()) {
            return (Found::Refused(found, Reason::Malformed(fault)), index);
        }
        (Found::of(found, redirects), index)
    }

    pub(crate) fn named(&self, name: &str) -> Option<Named> {
        let hosts = self.hosts.borrow();
        let tenant = hosts.as_ref()?.find(name.as_bytes())?;
        Some(tenant.site.named())
    }

    /// Address whose per-client bounds apply; `None` for a trusted proxy, which speaks for many.
    pub(crate) fn client(&self, peer: &Peer) -> Option<IpAddr> {
        let speaks_for_many = |site: &Arc<Site>| site.trust.is_trusted_peer(peer.address);
        peer.address.filter(|_| !self.site.borrow().as_ref().is_some_and(speaks_for_many))
    }
}

pub(crate) enum Found {
    Outbound,
    Site(Arc<Site>),
    Redirect(Arc<Site>),
    /// No site here has that name, or the site does not allow such a head: the site given replies so.
    Refused(Arc<Site>, Reason),
}

impl Found {
    fn of(site: Arc<Site>, redirects: bool) -> Self {
        if redirects { Self::Redirect(site) } else { Self::Site(site) }
    }
}

/// Whether a client that named one site in TLS may ask for another: both show the same certificates.
fn is_shown_as(named: Named, site: &Site) -> bool {
    let own = site.named();
    named.site == own.site || named.appearance == own.appearance
}

#[derive(Debug, Default)]
pub(crate) struct Buffers {
    pub(crate) request: Request,
    pub(crate) response: Response,
    pub(crate) request_id: Vec<u8>,
    pub(crate) up: Vec<u8>,
    pub(crate) down: Vec<u8>,
    /// Cache key, of a site.
    pub(crate) key: Vec<u8>,
    pub(crate) variant: Vec<u8>,
    /// Fields to add to the answer.
    pub(crate) more: Fields,
}

/// Most buffers kept for reuse.
const KEPT: usize = 64;
/// Capacity in bytes above which a buffer is shrunk before reuse.
const LARGEST: usize = 64 * 1024;

impl Context {
    pub(crate) fn new(thread: usize, observability: &Arc<Observability>, budget: Arc<Budget>) -> Rc<Self> {
        Rc::new(Self {
            thread,
            observability: observability.thread(thread),
            budget,
            trace_sample: Cell::new(None),
            is_draining: Cell::new(false),
            is_leaving: Cell::new(false),
            drain: Notify::new(),
            close_idle: Notify::new(),
            idle: Idle::default(),
            connections: Cell::new(0),
            spare_buffers: RefCell::default(),
        })
    }

    pub(crate) fn buffers(&self) -> Box<Buffers> {
        self.spare_buffers.borrow_mut().pop().unwrap_or_default()
    }

    pub(crate) fn give_back(&self, mut buffers: Box<Buffers>) {
        buffers.up.clear();
        buffers.down.clear();
        buffers.up.shrink_to(LARGEST);
        buffers.down.shrink_to(LARGEST);
        let mut spare_buffers = self.spare_buffers.borrow_mut();
        if spare_buffers.len() < KEPT {
            spare_buffers.push(buffers);
        }
    }
}

pub(crate) struct ConnectionGuard {
    context: Rc<Context>,
    proxy: Arc<Proxy>,
    index: UpstreamIndex,
}

impl ConnectionGuard {
    pub(crate) fn new(context: &Rc<Context>, slot: &Slot) -> Self {
        let guard = Self { context: context.clone(), proxy: slot.proxy.borrow().clone(), index: slot.index.get() };
        guard.proxy.clients.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        context.connections.set(context.connections.get() + 1);
        context.observability.client_opened(guard.index);
        guard
    }
}

impl Drop for ConnectionGuard {
    fn drop(&mut self) {
        self.proxy.clients.fetch_sub(1, std::sync::atomic::Ordering::Relaxed);
        self.context.connections.set(self.context.connections.get() - 1);
        self.context.observability.client_closed(self.index);
    }
}
