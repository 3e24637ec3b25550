//! Asking the peers of a tier, and being asked by them.

use std::rc::Rc;
use std::time::{Duration, Instant};

use unladen_http1::{Length, Request, Response};
use unladen_observability::{Answering, Asked, Reason, UpstreamIndex};

use super::admit::InboundRequest;
use crate::cache::Cache;
use crate::cache::cache_fetch::CacheFetch;
use crate::cache::cache_lookup::{CacheLookup, ValidatorAnswer};
use crate::context::Context;
use crate::message::downstream::{ClientSide, Downstream, Internal};
use crate::request::{Fetched, Finished};
use crate::site::trust::Peer;
use crate::tier::words::{Question, Told};
use crate::tier::{PeerPlan, Tier, Turn};
use crate::transaction::Transaction;

/// Interim status: the request is being worked on (RFC 2518, section 10.1).
const PROCESSING: u16 = 102;
/// Interim answers within a peer's timeout.
const BEATS: u32 = 4;

/// Asks one peer after the other. `None` if one answered, else the fetch to go on with.
pub(super) async fn ask_peers(
    context: &Rc<Context>,
    plan: PeerPlan,
    mut fetch: Box<CacheFetch>,
    request: &Request,
    index: UpstreamIndex,
    fetched: &Rc<Fetched>,
) -> Option<Box<CacheFetch>> {
    let PeerPlan { tier, turns, keeps, question } = plan;
    for Turn { endpoint, only_stored } in turns {
        let mut request = request.clone();
        tier.write(&Question { only_stored, ..question.clone() }, &mut request.fields);
        fetch.begin_asking(keeps);
        let mut client = Downstream::Internal(Internal::Fetch(fetch));
        let index = tier.proxy.index(index);
        let transaction = Transaction {
            fetched: Some(fetched.clone()),
            endpoint: Some(&endpoint),
            ..Transaction::new(context, &tier.proxy, index, &request, Instant::now())
        };
        transaction.run_for(&mut client).await;
        let Downstream::Internal(Internal::Fetch(back)) = client else { return None };
        fetch = back;
        let outcome = fetch.end_asking();
        tier.counts.asked(outcome);
        match outcome {
            Asked::Answered => return None,
            Asked::Refused => (),
            // The client has waited for long enough.
            Asked::Failed => break,
        }
    }
    // From now on it describes the application.
    fetched.endpoint.take();
    fetched.cause.take();
    Some(fetch)
}

impl InboundRequest<'_> {
    /// Who is believed to be the client: a peer says for whom it asks.
    pub(super) fn meet(&self, tier: &Tier, request: &Request) -> Peer {
        let passed = tier.passed(&request.fields);
        match tier.question(request) {
            // Signed by the asker.
            Some(question) if passed <= 1 => {
                let peer = Peer { address: question.address, port: None, is_https: question.is_https, ..self.peer };
                let _ = self.asked_by.set(question);
                peer
            }
            _ => {
                self.is_looped.set(passed > 0);
                self.peer
            }
        }
    }

    pub(crate) fn is_for_peer(&self) -> bool {
        self.asked_by.get().is_some()
    }

    /// Signs requests to the application as having passed this node.
    pub(super) fn sign(&self, tier: &Tier, request: &mut Request) {
        if !self.is_for_peer() && !self.is_looped.get() {
            tier.sign(&mut request.fields);
        }
    }

    /// Whether an asking peer has applied more purges than this node.
    pub(super) fn is_behind(&self, cache: &Cache) -> bool {
        let Some(question) = self.asked_by.get() else { return false };
        match (&cache.fleet, &question.position) {
            (Some(link), Some(theirs)) => !link.fleet.position().is_some_and(|own| own.has_reached(theirs)),
            (None, None) => false,
            // One of them misses purges, and nobody knows which.
            _ => true,
        }
    }

    pub(super) async fn refuse_peer(
        &self,
        request: &Request,
        to: &mut ClientSide<'_, '_>,
        is_behind: bool,
    ) -> Finished {
        if let Some(tier) = &self.site.tier {
            tier.counts.answering(if is_behind { Answering::Behind } else { Answering::Refused });
        }
        self.send_local_reply(request, to, Reason::NotForPeers, None).await
    }

    /// Adds what a peer needs to know of the answer.
    pub(super) fn add_for_peer(&self, to: &mut ClientSide<'_, '_>, version: Option<&[u8]>) {
        if let (Some(tier), true) = (&self.site.tier, self.is_for_peer()) {
            tier.counts.answering(Answering::Answered);
            Told::of(version).write(to.more);
        }
    }

    /// Interval of interim answers to a peer; `None` for other clients.
    pub(super) fn beat(&self) -> Option<Duration> {
        let tier = self.site.tier.as_ref().filter(|_| self.is_for_peer())?;
        Some(tier.settings.upstream.timeouts.first_byte / BEATS)
    }

    /// Tells a peer that an answer is awaited; `false` if it has gone.
    pub(super) async fn is_told_to_wait(&self, to: &mut ClientSide<'_, '_>) -> bool {
        let response = Response { status: PROCESSING, minor: 1, length: Length::None, ..Response::default() };
        to.client.interim(&response).await.is_ok()
    }

    /// Peers to ask before the application; `None` if no other node can know the answer.
    pub(super) fn peers(&self, lookup: &CacheLookup<'_>, key: &[u8]) -> Option<PeerPlan> {
        let tier = self.site.tier.as_ref()?;
        let CacheLookup { cache, request, known, .. } = lookup;
        let is_for_all = !lookup.has_cookies
            && !lookup.is_authorized
            && !self.is_for_peer()
            && matches!(known, ValidatorAnswer::Nothing | ValidatorAnswer::Version(_));
        // What is in doubt here would be so as a copy, too.
        if !is_for_all || lookup.is_leaving || lookup.is_cut_off {
            return None;
        }
        let position = match &cache.fleet {
            Some(link) => Some(link.fleet.settled_position()?),
            None => None,
        };
        let (turns, keeps) = tier.turns(key, self.now)?;
        let who = self.who.get();
        let question = Question { address: who.address, is_https: who.is_https, position, only_stored: false };
        debug_assert!(request.method == b"GET");
        Some(PeerPlan { tier: tier.clone(), turns, keeps, question })
    }
}
