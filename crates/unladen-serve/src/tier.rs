//! The principal type is [`Tier`]: the nodes that this one asks for a page before the application, and answers.
//!
//! A page has one owner among the nodes ([`highest_two`]). A node that misses it asks the owner, whose single flight
//! collapses all questions; what a node asks for often it keeps, too. Questions are never passed on: the peer answers
//! from memory, or asks the application. So a request visits at most two nodes.
//!
//! A peer's store may lag behind the fleet's purges. Each question says up to which purge its node is; a peer that is
//! not as far does not answer, and a node that has purged something asks nobody until that has come back to it on the
//! bus. What is purged while an answer is on its way is not stored, as ever.

pub(crate) mod peers;
pub(crate) mod words;

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};
use unladen_http1::{Fields, Request};
use unladen_observability::TierCounts;
use unladen_pool::{Endpoint, Upstream, UpstreamError};
use unladen_serve_config::{
    BufferSettings, ClientSettings, Forwarded, HostRule, ProxySettings, TierSecret, TierSettings,
};

use self::peers::{Peers, hash, highest_two};
use self::words::{Question, SECRET, hex, is_secret};
use crate::proxy::Proxy;

#[derive(Debug)]
pub(crate) struct Tier {
    pub(crate) settings: TierSettings,
    pub(crate) ports: Vec<u16>,
    pub(crate) proxy: Arc<Proxy>,
    pub(crate) counts: Arc<TierCounts>,
    /// In `CDN-Loop` (RFC 8586): the same for all nodes that know the secret.
    id: String,
    peers: Peers,
    heat: Heat,
}

/// Peers to ask for a page, in turn, before the application.
#[derive(Clone, Debug)]
pub(crate) struct PeerPlan {
    pub(crate) tier: Arc<Tier>,
    pub(crate) turns: Vec<Turn>,
    /// Whether the page is kept here, too.
    pub(crate) keeps: bool,
    pub(crate) question: Question,
}

#[derive(Clone, Debug)]
pub(crate) struct Turn {
    pub(crate) endpoint: Arc<Endpoint>,
    /// Ask only for what it has stored.
    pub(crate) only_stored: bool,
}

impl Tier {
    /// Keeps the peers and counts of `before`. `ports`: those that sites listen at.
    pub(crate) fn new(
        settings: TierSettings,
        ports: Vec<u16>,
        threads: usize,
        before: Option<&Self>,
    ) -> Result<Self, UpstreamError> {
        let upstream = Upstream::new(settings.upstream.clone(), threads)?;
        let proxy = Proxy::new(way(&settings), upstream, before.map(|before| &*before.proxy));
        Ok(Self {
            id: id(&settings.secret),
            peers: Peers::new(settings.node, ports.clone()),
            heat: Heat::new(Instant::now()),
            counts: before.map(|before| before.counts.clone()).unwrap_or_default(),
            proxy: Arc::new(proxy),
            ports,
            settings,
        })
    }

    /// Peers to ask for a page, and whether it is kept here then; `None` if this node owns it.
    ///
    /// The owner is asked: the first in rendezvous order of those that have not just failed. For a hot page, the second
    /// may be asked if it has fewer questions of this node under way (two choices), but only for what it has stored: it
    /// would have to ask the application, too.
    pub(crate) fn turns(&self, key: &[u8], now: Instant) -> Option<(Vec<Turn>, bool)> {
        let upstream = &*self.proxy.upstream;
        let peers = self.peers.now(upstream);
        let page = hash(key);
        let live = peers.iter().enumerate().filter(|(_, peer)| peer.is_self || upstream.takes_requests(&peer.endpoint));
        let (first, second) = highest_two(page, live.map(|(place, peer)| (place, peer.hash)))?;
        let first = peers.get(first).filter(|peer| !peer.is_self)?;
        let is_hot = self.heat.count(page, now) >= self.settings.hot;
        let busy = |endpoint: &Endpoint| endpoint.in_flight.load(Ordering::Relaxed);
        let second = second
            .and_then(|second| peers.get(second))
            .filter(|second| is_hot && !second.is_self && busy(&second.endpoint) < busy(&first.endpoint));
        let second = second.map(|second| Turn { endpoint: second.endpoint.clone(), only_stored: true });
        let first = Turn { endpoint: first.endpoint.clone(), only_stored: false };
        Some((second.into_iter().chain([first]).collect(), is_hot))
    }

    pub(crate) fn write(&self, question: &Question, fields: &mut Fields) {
        question.write(fields);
        fields.push(SECRET, self.settings.secret.reveal().as_bytes());
    }

    pub(crate) fn question(&self, request: &Request) -> Option<Question> {
        // Nearly all requests end here.
        request.fields.find(SECRET)?;
        if !is_secret(&request.fields, self.settings.secret.reveal()) {
            self.counts.stranger();
            return None;
        }
        Question::read(&request.fields).filter(|_| request.method == b"GET")
    }

    /// How often a request has passed nodes of this tier (RFC 8586).
    pub(crate) fn passed(&self, fields: &Fields) -> usize {
        let lines = fields.iter().filter(|field| field.name.eq_ignore_ascii_case(CDN_LOOP));
        let members = lines.flat_map(|line| line.value.split(|byte| *byte == b','));
        let ids = members.filter_map(|member| member.split(|byte| *byte == b';').next());
        ids.filter(|id| id.trim_ascii().eq_ignore_ascii_case(self.id.as_bytes())).count()
    }

    pub(crate) fn sign(&self, fields: &mut Fields) {
        fields.push(CDN_LOOP, self.id.as_bytes());
    }
}

const CDN_LOOP: &[u8] = b"cdn-loop";

/// The same on all nodes, different for each tier, and revealing nothing of the secret.
fn id(secret: &TierSecret) -> String {
    let digest = Sha256::new().chain_update(b"unladen tier: ").chain_update(secret.reveal()).finalize();
    format!("unladen-{}", hex(digest.get(..8).unwrap_or_default()))
}

/// Requests are passed on unchanged, with their host.
fn way(settings: &TierSettings) -> ProxySettings {
    ProxySettings {
        listen: Vec::new(),
        socket_mode: 0,
        upstream: settings.upstream.clone(),
        host: HostRule::Keep,
        forwarded: Forwarded::Strip,
        via: false,
        request_id: true,
        http2: false,
        client: ClientSettings::default(),
        rates: Vec::new(),
        buffer: BufferSettings::default(),
    }
}

/// Counters of each of two rows: enough for some ten thousand pages.
const WIDTH: usize = 1 << 15;
/// Time after which each count is halved.
const HALF: Duration = Duration::from_secs(120);

/// A count-min sketch of two rows: counts are a little too high where pages share counters, and never too low. 64 KiB,
/// whatever is asked for.
#[derive(Debug)]
pub(crate) struct Heat {
    counts: Box<[AtomicU8]>,
    began: Instant,
    /// Number of halvings so far.
    halved: AtomicU64,
}

impl Heat {
    pub(crate) fn new(now: Instant) -> Self {
        Self { counts: (0..2 * WIDTH).map(|_| AtomicU8::new(0)).collect(), began: now, halved: AtomicU64::new(0) }
    }

    /// Counts a question for this page, and returns the recent count with it.
    pub(crate) fn count(&self, page: u64, now: Instant) -> u8 {
        self.forget(now);
        let places = [page as usize % WIDTH, WIDTH + (page >> 32) as usize % WIDTH];
        let add = |place: usize| {
            let Some(count) = self.counts.get(place) else { return 0 };
            let more = |count: u8| Some(count.saturating_add(1));
            count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).unwrap_or(0).saturating_add(1)
        };
        places.map(add).into_iter().min().unwrap_or(0)
    }

    fn forget(&self, now: Instant) {
        let due = now.saturating_duration_since(self.began).as_secs() / HALF.as_secs();
        let halved = self.halved.load(Ordering::Relaxed);
        if due <= halved || self.halved.compare_exchange(halved, due, Ordering::Relaxed, Ordering::Relaxed).is_err() {
            return;
        }
        let times = u32::try_from(due - halved).unwrap_or(u32::MAX);
        for count in &self.counts {
            let less = |count: u8| Some(count.checked_shr(times).unwrap_or(0));
            let _ = count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        }
    }
}

#[cfg(test)]
mod tests;
