//! The first stage: who asks, and whether it may. The principal type is [`InboundRequest`]: a request to a site, with
//! what all stages of answering it need.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use unladen_files::Script;
use unladen_http1::Request;
use unladen_observability::{Cause, Reason, UpstreamIndex, Version};

use crate::context::Context;
use crate::limits::crowd::{CrowdPermit, What};
use crate::limits::queue::{Flow, cookie};
use crate::limits::rates::{Asker, Counting};
use crate::message::downstream::ClientSide;
use crate::proxy::Proxy;
use crate::request::{Fetched, Finished};
use crate::site::Site;
use crate::site::prepare::{Who, prepare};
use crate::site::trust::Peer;
use crate::tier::words::Question;

/// How a request came.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) index: UpstreamIndex,
    pub(crate) version: Version,
    /// When the head's first byte was read …
    pub(crate) began: Instant,
    /// … and its last.
    pub(crate) now: Instant,
    pub(crate) peer: Peer,
}

pub(crate) struct InboundRequest<'a> {
    pub(crate) context: &'a Rc<Context>,
    pub(crate) site: &'a Arc<Site>,
    /// Where the application is called: the site's own, or its route's.
    pub(crate) proxy: &'a Arc<Proxy>,
    pub(crate) is_cached: bool,
    /// Reply for those without a password that its route accepts.
    pub(crate) challenge: Cell<Option<&'a [u8]>>,
    pub(crate) index: UpstreamIndex,
    pub(crate) version: Version,
    pub(crate) began: Instant,
    pub(crate) now: Instant,
    pub(crate) peer: Peer,
    pub(crate) who: Cell<Who>,
    pub(crate) script: RefCell<Option<Arc<Script>>>,
    /// Cause of an error reply that is not an upstream's.
    pub(crate) cause: RefCell<Option<Box<Cause>>>,
    /// Identifier for a local reply, if the request had none.
    pub(crate) own_id: RefCell<Vec<u8>>,
    pub(crate) fetched: RefCell<Option<Rc<Fetched>>>,
    pub(crate) asked_by: OnceCell<Question>,
    /// It has come back through the nodes that passed it on: it goes nowhere.
    pub(crate) is_looped: Cell<bool>,
}

impl<'a> InboundRequest<'a> {
    pub(crate) fn new(context: &'a Rc<Context>, site: &'a Arc<Site>, arrival: Arrival) -> Self {
        let Arrival { index, version, began, now, peer } = arrival;
        Self {
            context,
            site,
            proxy: &site.proxy,
            is_cached: true,
            challenge: Cell::default(),
            index,
            version,
            began,
            now,
            peer,
            who: Cell::default(),
            script: RefCell::default(),
            cause: RefCell::default(),
            own_id: RefCell::default(),
            fetched: RefCell::default(),
            asked_by: OnceCell::new(),
            is_looped: Cell::default(),
        }
    }

    pub(crate) async fn run(self, request: &mut Request, to: &mut ClientSide<'_, '_>) -> Finished {
        if let Err(finished) = self.admit(request, to).await {
            return finished;
        }
        match &self.site.routes {
            None => self.look_up(request, to).await,
            Some(routes) => self.route(routes, request, to).await,
        }
    }

    /// Who asks, its rate, and PURGE, which ends here. The error says how it ended.
    pub(super) async fn admit(&self, request: &mut Request, to: &mut ClientSide<'_, '_>) -> Result<(), Finished> {
        let peer = match &self.site.tier {
            Some(tier) => self.meet(tier, request),
            None => self.peer,
        };
        let who = prepare(self.site, request, &peer);
        self.who.set(who);
        if let Some(tier) = &self.site.tier {
            self.sign(tier, request);
            // Counted where it came from.
            if self.is_for_peer() {
                return Ok(());
            }
        }
        let mut rates = self.site.proxy.rates.take(request, Counting::Coming, self.began);
        if let (Ok(()), Some(shared)) = (&rates, &self.site.proxy.rates.shared) {
            let asker = Asker { request, client: who.address, thread: self.context.thread, now: self.began };
            rates = shared.ask(asker, Counting::Coming).await;
        }
        if let Err(after) = rates.and_then(|()| self.site.crowd.ask(who.address, true, self.began)) {
            return Err(self.send_local_reply(request, to, Reason::RateLimited, Some(after)).await);
        }
        if request.method == b"PURGE"
            && let Some(cache) = &self.site.cache
        {
            return Err(self.purge(cache, request, to).await);
        }
        Ok(())
    }

    /// In whose turn it is sent to the application.
    pub(super) fn flow(&self, request: &Request) -> Flow {
        let Some(settings) = &self.site.settings.queue else { return Flow::default() };
        let told_apart = settings.cookie.as_deref().and_then(|name| cookie(&request.fields, name));
        Flow::of(self.who.get().address, told_apart)
    }

    /// A place among those that its client may have at the application.
    pub(super) fn place(&self) -> Result<Option<CrowdPermit>, Reason> {
        let Some(address) = self.who.get().address else { return Ok(None) };
        self.site.crowd.enter(address, What::Requests).map(Some).ok_or(Reason::TooManyOfClient)
    }

    /// Like [`Self::place`], counting the request against the rates; an error may say when to come again.
    pub(super) fn go(&self) -> Result<Option<CrowdPermit>, (Reason, Option<Duration>)> {
        let asked = self.site.crowd.ask(self.who.get().address, false, self.began);
        asked.map_err(|after| (Reason::RateLimited, Some(after)))?;
        self.place().map_err(|reason| (reason, None))
    }
}
