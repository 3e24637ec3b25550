//! The principal type is [`Responder`]: who answers a listener's requests. A new kind gets a file here and a variant.

pub(crate) mod arrival;
pub(crate) mod ask;
mod challenge;
pub(crate) mod fetch;
pub(crate) mod files;
pub(crate) mod head_check;
pub(crate) mod inbound_request;
mod last_hop;
mod outbound;
pub(crate) mod peers;
pub(crate) mod purge;
mod redirect;
pub(crate) mod reply;
mod routed;
mod site;
pub(crate) mod wait;

use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use unladen_http1::Request;
use unladen_observability::{End, Reason};

use self::arrival::Arrival;
use self::inbound_request::{ClientSide, InboundRequest};
use crate::context::{Context, Found};
use crate::message::stream::Guard;
use crate::proxy::Proxy;
use crate::site::Site;

/// An enum rather than a trait object: no future is boxed for each request.
pub(crate) enum Responder<'l> {
    Outbound(&'l Proxy),
    Site(&'l Arc<Site>),
    Redirect(&'l Arc<Site>),
    /// Refuses a request before it is looked at.
    Refused(&'l Arc<Site>, Reason),
}

impl<'l> Responder<'l> {
    pub(crate) fn of(found: &'l Found, proxy: &'l Proxy) -> Self {
        match found {
            Found::Outbound => Self::Outbound(proxy),
            Found::Site(site) => Self::Site(site),
            Found::Redirect(site) => Self::Redirect(site),
            Found::Refused(site, reason) => Self::Refused(site, *reason),
        }
    }

    pub(crate) fn guard(&self) -> Guard {
        match self {
            Self::Outbound(_) => Guard::None,
            Self::Site(site) | Self::Redirect(site) | Self::Refused(site, _) => {
                Guard::Client(site.settings.underscores)
            }
        }
    }

    /// Answers a request; returns how it ended, and when. It is in flight also while it waits for others.
    pub(crate) async fn respond(
        &self,
        context: &Rc<Context>,
        arrival: Arrival,
        request: &mut Request,
        client_side: &mut ClientSide<'_, '_>,
    ) -> (End, Instant) {
        context.observability.begin(arrival.index);
        if let Self::Site(site) | Self::Redirect(site) | Self::Refused(site, _) = self
            && let Some(page) = site.answers.page(&request.target)
        {
            // First of all: access rules and redirects are no concern of a certificate authority.
            let ended = InboundRequest::new(context, site, arrival).challenge(request, client_side, &page).await;
            context.observability.end(arrival.index);
            return ended;
        }
        if let Some(status) = last_hop::counted(request) {
            let proxy = match self {
                Self::Outbound(proxy) => *proxy,
                Self::Site(site) | Self::Redirect(site) | Self::Refused(site, _) => &site.proxy,
            };
            let ended = last_hop::last_hop(proxy, context, &arrival, request, client_side, status).await;
            context.observability.end(arrival.index);
            return ended;
        }
        let ended = match self {
            Self::Outbound(proxy) => outbound::respond(proxy, context, arrival, request, client_side).await,
            Self::Site(site) => InboundRequest::new(context, site, arrival).run(request, client_side).await,
            Self::Redirect(site) => InboundRequest::new(context, site, arrival).redirect(request, client_side).await,
            Self::Refused(site, reason) => {
                InboundRequest::new(context, site, arrival).refused(request, client_side, *reason).await
            }
        };
        context.observability.end(arrival.index);
        ended
    }
}
