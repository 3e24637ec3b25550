//! The principal type is [`InboundRequest`]: a request to a site, with what all steps of answering it need.

use std::cell::{Cell, OnceCell, RefCell};
use std::net::IpAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use unladen_cache::Accepted;
use unladen_files::Script;
use unladen_http1::{Fields, Length, Request, Response};
use unladen_observability::{Cause, Reason, UpstreamIndex, Version};

use super::arrival::Arrival;
use crate::cache::coded::{is_not_to_be_transformed, joined};
use crate::context::Context;
use crate::limits::crowd::{CrowdPermit, What};
use crate::limits::queue::{Flow, cookie};
use crate::message::downstream::Downstream;
use crate::message::stream::BodySource;
use crate::peer::Peer;
use crate::proxy::Proxy;
use crate::request::Fetched;
use crate::request::watch::Watch;
use crate::site::Site;
use crate::site::prepare::Who;
use crate::tier::words::Question;

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
    pub(crate) client: Cell<Option<IpAddr>>,
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

pub(crate) struct ClientSide<'d, 'c> {
    pub(crate) watch: &'d mut Watch,
    pub(crate) body: &'d mut BodySource<'c>,
    pub(crate) client: &'d mut Downstream<'c>,
    pub(crate) response: &'d mut Response,
    pub(crate) up: &'d mut Vec<u8>,
    pub(crate) id: &'d mut Vec<u8>,
    pub(crate) key: &'d mut Vec<u8>,
    pub(crate) variant: &'d mut Vec<u8>,
    pub(crate) more: &'d mut Fields,
}

impl<'a> InboundRequest<'a> {
    pub(crate) fn new(context: &'a Rc<Context>, site: &'a Arc<Site>, arrival: Arrival) -> Self {
        let Arrival { index, version, began, now, peer } = arrival;
        let (client, script, fetched) = (Cell::default(), RefCell::default(), RefCell::default());
        let (cause, own_id) = (RefCell::default(), RefCell::default());
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
            client,
            script,
            fetched,
            cause,
            own_id,
            asked_by: OnceCell::new(),
            is_looped: Cell::default(),
        }
    }

    /// Compresses the answer on its way, if allowed, also by the client (RFC 9111, section 5.2.1.6).
    pub(crate) fn compress(&self, request: &Request, client_side: &mut ClientSide<'_, '_>) {
        if self.site.settings.compress && !self.is_for_peer() && !is_not_to_be_transformed(&request.fields) {
            client_side.client.set_codings(Accepted::of(joined(&request.fields, b"accept-encoding").as_deref()));
        }
    }

    pub(crate) fn flow(&self, request: &Request, who: Who) -> Flow {
        let Some(settings) = &self.site.settings.queue else { return Flow::default() };
        let told_apart = settings.cookie.as_deref().and_then(|name| cookie(&request.fields, name));
        Flow::of(who.address, told_apart)
    }

    pub(crate) fn place(&self, who: Who) -> Result<Option<CrowdPermit>, Reason> {
        let Some(address) = who.address else { return Ok(None) };
        self.site.crowd.enter(address, What::Requests).map(Some).ok_or(Reason::TooManyOfClient)
    }

    /// Like [`Self::place`], counting the request against the rates; an error may say when to come again.
    pub(crate) fn go(&self, who: Who) -> Result<Option<CrowdPermit>, (Reason, Option<Duration>)> {
        let asked = self.site.crowd.ask(who.address, false, self.began);
        asked.map_err(|after| (Reason::RateLimited, Some(after)))?;
        self.place(who).map_err(|reason| (reason, None))
    }

    /// Takes a place among its uploads, unless the body came with the head.
    pub(super) fn upload(
        &self,
        request: &Request,
        client_side: &ClientSide<'_, '_>,
        who: Who,
    ) -> Result<Option<CrowdPermit>, (Reason, Option<Duration>)> {
        let Some(address) = who.address else { return Ok(None) };
        if matches!(request.length, Length::None | Length::Exact(0)) || client_side.body.holds(request.length) {
            return Ok(None);
        }
        let place = self.site.crowd.enter(address, What::Uploads);
        place.map(Some).ok_or((Reason::TooManyUploads, None))
    }
}
