//! The principal type is [`Upstream`]: address, state, limits and connections of an upstream.

use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use serde::Serialize;
use tokio::sync::Notify;

use crate::balance::Balancer;
use crate::breaker::{Breaker, Pass};
use crate::connection::{Closed, Connection, ConnectionSlots};
use crate::endpoint::{Address, Endpoint};
use crate::idle_connections::IdleConnections;
use crate::outlier::Outliers;
use crate::resolve::ResolveStatus;
use crate::retry::Budget;
use crate::settings::{Discovery, EndpointAddress, Protocol, UpstreamSettings};
use crate::tls::{Connector, TlsError, TlsFault};
use crate::unanswered::Unanswered;

/// An upstream, shared by all threads.
#[derive(Debug)]
pub struct Upstream {
    pub(crate) settings: UpstreamSettings,
    pub(crate) connector: Option<Connector>,
    /// Offers only HTTP/1.1, for upgrades.
    connector_http1: Option<Connector>,
    pub(crate) endpoints: ArcSwap<Balancer>,
    pub(crate) changed: Notify,
    pub(crate) idle_connections: Box<[Mutex<IdleConnections>]>,
    pub(crate) slots: Arc<ConnectionSlots>,
    pub(crate) gate: tokio::sync::Mutex<()>,
    pub(crate) pending: AtomicUsize,
    pub(crate) counters: Counters,
    pub(crate) requests: AtomicUsize,
    retrying: AtomicUsize,
    pub(crate) breaker: Option<Breaker>,
    outliers: Option<Outliers>,
    budget: Budget,
    /// FastCGI: requests that may wait for a process of the application.
    pub(crate) unanswered: Arc<Unanswered>,
    pub(crate) roused: Box<[Notify]>,
    /// Protocol found by TLS: 0: not known yet; 1: HTTP/1.1; 2: HTTP/2.
    spoken: AtomicU8,
    began: Instant,
    pub(crate) names: OnceLock<Arc<ResolveStatus>>,
}

/// Why an upstream cannot be configured.
#[derive(Debug, thiserror::Error)]
pub enum UpstreamError {
    #[error(transparent)]
    Tls(#[from] TlsError),
}

/// A request in flight. At its end it reports the result to the breaker.
#[derive(Debug)]
pub struct InFlight<'a> {
    upstream: &'a Upstream,
    pass: Option<Pass>,
}

/// A request that is being sent again.
#[derive(Debug)]
pub struct Retrying<'a>(&'a Upstream);

/// Why a request is answered at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    BreakerOpen(Duration),
    TooManyRequests,
}

impl Upstream {
    /// Creates it with the endpoints that need no look-up. The others come with [`Upstream::follow`].
    pub fn new(settings: UpstreamSettings, threads: usize) -> Result<Arc<Self>, UpstreamError> {
        let has_tls = settings.origins.iter().any(|origin| origin.tls);
        let connector = has_tls.then(|| Connector::new(&settings.tls, settings.http)).transpose()?;
        let connector_http1 = connector.as_ref().map(|connector| connector.with_protocol(Protocol::Http1));
        let endpoints = Balancer::new(known_at_once(&settings), settings.balance);
        Ok(Arc::new(Self {
            connector,
            connector_http1,
            endpoints: ArcSwap::from_pointee(endpoints),
            changed: Notify::new(),
            idle_connections: (0..threads.max(1)).map(|_| Mutex::default()).collect(),
            slots: ConnectionSlots::new(settings.limits.connections),
            gate: tokio::sync::Mutex::default(),
            pending: AtomicUsize::new(0),
            counters: Counters::default(),
            requests: AtomicUsize::new(0),
            retrying: AtomicUsize::new(0),
            breaker: settings.breaker.clone().map(Breaker::new),
            outliers: settings.outlier.clone().map(Outliers::new),
            budget: Budget::new(settings.retry.budget),
            unanswered: Arc::default(),
            roused: (0..threads.max(1)).map(|_| Notify::new()).collect(),
            spoken: AtomicU8::new(0),
            began: Instant::now(),
            names: OnceLock::new(),
            settings,
        }))
    }

    /// Its settings.
    pub fn settings(&self) -> &UpstreamSettings {
        &self.settings
    }

    /// Counters of its connections.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Admits a request as in flight, unless it is to be answered at once.
    pub fn admit(&self, now: Instant) -> Result<InFlight<'_>, Refusal> {
        let limit = self.settings.limits.requests;
        if self.requests.fetch_add(1, Ordering::Relaxed) >= limit {
            self.requests.fetch_sub(1, Ordering::Relaxed);
            return Err(Refusal::TooManyRequests);
        }
        let mut in_flight = InFlight { upstream: self, pass: None };
        if let Some(breaker) = &self.breaker {
            in_flight.pass = Some(breaker.admit(self.ms(now)).map_err(Refusal::BreakerOpen)?);
        }
        self.budget.deposit(self.ms(now));
        Ok(in_flight)
    }

    /// Permission to send a request again, if budget and limit allow it.
    pub fn retry(&self, now: Instant) -> Option<Retrying<'_>> {
        let limit = self.settings.limits.retries;
        let next = |retrying| (retrying < limit).then_some(retrying + 1);
        self.retrying.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).ok()?;
        let retrying = Retrying(self);
        self.budget.withdraw(self.ms(now)).then_some(retrying)
    }

    /// Chooses an endpoint, if possible one not `tried`. Waits for name lookups under way, at most as long as a
    /// connection may take.
    pub async fn endpoint(&self, tried: &[Arc<Endpoint>]) -> Option<Arc<Endpoint>> {
        if let Some(endpoint) = self.pick(tried) {
            return Some(endpoint);
        }
        let changed = self.changed.notified();
        let endpoints = self.endpoints.load();
        if !endpoints.endpoints().is_empty() || endpoints.is_known() || self.lookups_are_over() {
            drop(endpoints);
            return self.pick(tried);
        }
        drop(endpoints);
        let _ = tokio::time::timeout(self.settings.timeouts.connect, changed).await;
        self.pick(tried)
    }

    pub(crate) fn pick(&self, tried: &[Arc<Endpoint>]) -> Option<Arc<Endpoint>> {
        let endpoints = self.endpoints.load();
        match endpoints.endpoints() {
            [only] if self.settings.health.is_none() => Some(only.clone()),
            _ => endpoints.pick(tried, self.now_ms()).cloned(),
        }
    }

    fn lookups_are_over(&self) -> bool {
        self.settings.origins.iter().all(|origin| matches!(origin.at, EndpointAddress::Unix(_)))
    }

    /// Reports the result of a request to an endpoint.
    pub fn report(&self, endpoint: &Arc<Endpoint>, is_good: bool) {
        match &self.outliers {
            Some(outliers) if is_good => outliers.success(endpoint),
            Some(outliers) => {
                outliers.failure(endpoint, self.endpoints.load().endpoints(), self.now_ms());
            }
            None => (),
        }
    }

    /// Keeps a connection for the next request.
    pub fn give_back(&self, thread: usize, mut connection: Connection, now: Instant) {
        connection.idle_since = now;
        connection.buffer.release();
        if let Some(why) = connection.spent(&self.settings.pool, now) {
            self.count_closed(why);
            return;
        }
        if self.settings.http == Protocol::FastCgi && self.unanswered.takes_one(self.ms(now)) {
            // The process behind it turns to the waiting request.
            drop(connection);
            count(&self.counters.closed_surplus);
            return;
        }
        let mut idle_connections = self.idle_connections(thread);
        idle_connections.put(connection);
        if std::mem::take(&mut idle_connections.dozes) {
            self.roused[thread % self.roused.len()].notify_one();
        }
        let surplus = idle_connections.idle() > self.settings.pool.max_idle.div_ceil(self.idle_connections.len())
            && idle_connections.drop_oldest();
        drop(idle_connections);
        if surplus {
            count(&self.counters.closed_surplus);
        }
        if self.pending.load(Ordering::Relaxed) > 0 {
            self.slots.freed.notify_one();
        }
    }

    /// Source of its endpoints, if not the host of its URL.
    pub fn discovery(&self) -> Option<&Discovery> {
        self.settings.origins.first()?.discovery.as_ref()
    }

    /// Error of the last name lookup.
    pub fn lookup_error(&self) -> Option<String> {
        self.names.get().and_then(|names| names.error())
    }

    /// Whether an endpoint is healthy as far as known, and not taken out for failures.
    pub fn takes_requests(&self, endpoint: &Endpoint) -> bool {
        let until = endpoint.ejected_until.load(Ordering::Relaxed);
        // The clock is only needed for those that were taken out once.
        endpoint.healthy.load(Ordering::Relaxed) && (until == 0 || until <= self.now_ms())
    }

    /// Current endpoints.
    pub fn endpoints(&self) -> Arc<Balancer> {
        self.endpoints.load_full()
    }

    /// Authority of the endpoint's origin, and whether it has TLS.
    pub fn origin(&self, endpoint: &Endpoint) -> (&str, bool) {
        match self.settings.origins.get(endpoint.origin) {
            Some(origin) => (&origin.authority, origin.tls),
            None => ("", false),
        }
    }

    pub(crate) fn idle_connections(&self, thread: usize) -> MutexGuard<'_, IdleConnections> {
        self.idle_connections[thread % self.idle_connections.len()].lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn drop_idle(&self, thread: usize) -> bool {
        let threads = self.idle_connections.len();
        let dropped = (0..threads).any(|offset| self.idle_connections((thread + offset) % threads).drop_oldest());
        if dropped {
            count(&self.counters.closed_surplus);
        }
        dropped
    }

    pub(crate) fn tls(&self, endpoint: &Endpoint, upgrade: bool) -> Option<(&Connector, &str)> {
        let origin = self.settings.origins.get(endpoint.origin).filter(|origin| origin.tls)?;
        let name = match (&self.settings.tls.server_name, &origin.at) {
            (Some(name), _) => name,
            (None, EndpointAddress::Tcp(host, _)) => host,
            (None, EndpointAddress::Unix(_)) => &origin.authority,
        };
        let connector = if upgrade { &self.connector_http1 } else { &self.connector };
        Some((connector.as_ref()?, name))
    }

    /// Error of TLS at an endpoint after the handshake, with advice.
    pub fn tls_failed(&self, endpoint: &Endpoint, fault: TlsFault) -> TlsError {
        let name = self.tls(endpoint, false).map_or_else(String::new, |(_, name)| name.to_owned());
        TlsError::Handshake { name, fault }
    }

    pub(crate) fn may_be_h2(&self) -> bool {
        match self.settings.http {
            Protocol::Http1 | Protocol::FastCgi => false,
            Protocol::Http2 => true,
            Protocol::Auto => self.connector.is_some() && self.spoken.load(Ordering::Relaxed) != 1,
        }
    }

    pub(crate) fn speaks(&self, h2: bool) {
        self.spoken.store(if h2 { 2 } else { 1 }, Ordering::Relaxed);
    }

    pub(crate) fn count_closed(&self, why: Closed) {
        count(match why {
            Closed::Idle => &self.counters.closed_idle,
            Closed::Age => &self.counters.closed_age,
            Closed::Requests => &self.counters.closed_requests,
            Closed::ByPeer => &self.counters.closed_by_peer,
        });
    }

    pub(crate) fn now_ms(&self) -> u64 {
        self.ms(Instant::now())
    }

    fn ms(&self, now: Instant) -> u64 {
        u64::try_from(now.saturating_duration_since(self.began).as_millis()).unwrap_or(u64::MAX)
    }
}

fn known_at_once(settings: &UpstreamSettings) -> Vec<Arc<Endpoint>> {
    let endpoint = |(index, origin): (usize, &crate::settings::Origin)| {
        let address = match &origin.at {
            _ if origin.discovery.is_some() => return None,
            EndpointAddress::Unix(path) => Address::Unix(path.clone()),
            EndpointAddress::Tcp(host, port) => {
                Address::Tcp(vec![(host.parse::<std::net::IpAddr>().ok()?, *port).into()])
            }
        };
        Some(Arc::new(Endpoint::new(address, index, origin.weight)))
    };
    settings.origins.iter().enumerate().filter_map(endpoint).collect()
}

// === impl InFlight ===

impl InFlight<'_> {
    /// Reports the result once: only the first report counts.
    pub fn report(&mut self, is_good: bool, now: Instant) {
        if let (Some(breaker), Some(pass)) = (&self.upstream.breaker, self.pass.take()) {
            breaker.report(pass, is_good, self.upstream.ms(now));
        }
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.upstream.requests.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Drop for Retrying<'_> {
    fn drop(&mut self) {
        self.0.retrying.fetch_sub(1, Ordering::Relaxed);
    }
}

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        /// Connection events of an upstream since it was configured.
        #[derive(Debug, Default)]
        pub struct Counters {
            $($(#[$doc])* pub $name: AtomicU64,)*
        }

        /// [`Counters`] at one moment.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
        pub struct Counts {
            $($(#[$doc])* pub $name: u64,)*
        }

        impl Counters {
            /// Current values.
            pub fn read(&self) -> Counts {
                Counts { $($name: self.$name.load(Ordering::Relaxed),)* }
            }
        }
    };
}

counters! {
    /// Connections opened.
    connects,
    connect_failures,
    handshakes_full,
    handshakes_resumed,
    /// Failed TLS handshakes, unverified certificates included.
    handshake_failures,
    /// Idle connections closed for their idle time.
    closed_idle,
    /// … for their age.
    closed_age,
    /// … for their number of requests.
    closed_requests,
    /// … because more were idle than allowed.
    closed_surplus,
    /// … because the upstream had closed them.
    closed_by_peer,
    /// Requests that waited for a connection.
    waited,
    /// Name lookups.
    lookups,
    /// Failed lookups; the last good answer is kept.
    lookup_failures,
}

pub(crate) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}
