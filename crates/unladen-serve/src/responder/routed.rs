//! Requests to a site with routes: access, and what answers; and requests for unknown names.

use std::time::Instant;

use unladen_http1::{Length, Request};
use unladen_observability::{Cause, End, Reason};

use super::files::Filed;
use super::inbound_request::{ClientSide, InboundRequest};
use crate::message::compose;
use crate::site::folder::Folder;
use crate::site::passwords::Tried;
use crate::site::prepare::{Who, edit, prepare};
use crate::site::route::{Access, Action, Location, Route};
use crate::site::routes::{ChosenRoute, NoRoute, Routes};

impl<'a> InboundRequest<'a> {
    pub(crate) async fn routed(
        mut self,
        routes: &'a Routes,
        request: &mut Request,
        client_side: &mut ClientSide<'_, '_>,
        mut who: Who,
    ) -> (End, Instant) {
        let found = routes.find(&request.method, &request.target);
        let found = found.and_then(|route| match who.is_disguised && routes.is_got_round(route, request) {
            true => Err(NoRoute::Disguised),
            false => Ok(route),
        });
        let route = match found {
            Ok(route) => route,
            Err(error) => {
                let text = error.to_string();
                self.cause.replace(Some(Box::new(Cause { reason: Reason::BadPath, endpoint: None, text })));
                return self.own(request, client_side, Reason::BadPath, None, who).await;
            }
        };
        self.proxy = &route.proxy;
        self.index = route.proxy.index(self.index);
        self.is_cached = route.cache;
        // A peer does this to its own answers.
        if let Some(edits) = route.response.as_ref().filter(|_| !self.is_for_peer()) {
            client_side.client.set_edits(edits.clone());
        }
        if let Some(access) = &route.access
            && let Some(ended) = self.kept_out(access, request, client_side, who).await
        {
            return ended;
        }
        if let Some(edits) = &route.request {
            edit(edits, &mut request.fields, &mut who);
        }
        let chosen = ChosenRoute { route, routes };
        match &route.action {
            Action::Application => {
                match self.guarded(chosen.guards_of_program(request), request, client_side, who).await {
                    Some(ended) => ended,
                    None => self.answer(request, client_side, who).await,
                }
            }
            Action::Files(folder) => match self.found(chosen, folder, request, client_side, who).await {
                Some(ended) => ended,
                // Elsewhere a script would stand for it, so it is not sent.
                None => self.own(request, client_side, Reason::NotFound, None, who).await,
            },
            Action::Scripts(folder) => match self.found(chosen, folder, request, client_side, who).await {
                Some(ended) => ended,
                None => self.answer(request, client_side, who).await,
            },
            Action::Redirect(location) => self.sent_on(location, request, client_side, who).await,
            Action::Status(status) => self.at_once(*status, request, client_side, who).await,
        }
    }

    /// Sends a file; `None` if a script stands for the path, which is kept.
    async fn found(
        &mut self,
        chosen: ChosenRoute<'a>,
        folder: &Folder,
        request: &Request,
        client_side: &mut ClientSide<'_, '_>,
        who: Who,
    ) -> Option<(End, Instant)> {
        match self.files(chosen, folder, request, client_side, who).await {
            Filed::Ended(end, now) => Some((end, now)),
            Filed::Script(script) => {
                self.script.replace(Some(script));
                None
            }
        }
    }

    /// Replies to a client that guarding routes keep from what the path comes to; `None` if they let it in. Then the
    /// route of the path applies, with caching only if all allow it.
    pub(crate) async fn guarded(
        &mut self,
        guards: Vec<&'a Route>,
        request: &Request,
        client_side: &mut ClientSide<'_, '_>,
        who: Who,
    ) -> Option<(End, Instant)> {
        for guard in guards {
            self.is_cached &= guard.cache;
            if let Some(access) = &guard.access
                && let Some(ended) = self.kept_out(access, request, client_side, who).await
            {
                return Some(ended);
            }
            if let Action::Status(status @ 400..) = guard.action {
                if let Some(edits) = &guard.response {
                    client_side.client.set_edits(edits.clone());
                }
                return Some(self.at_once(status, request, client_side, who).await);
            }
        }
        None
    }

    /// Replies to a client that the route does not let in; `None` if it does.
    async fn kept_out(
        &self,
        access: &'a Access,
        request: &Request,
        client_side: &mut ClientSide<'_, '_>,
        who: Who,
    ) -> Option<(End, Instant)> {
        if !access.lets_in(who.address) {
            return Some(self.own(request, client_side, Reason::AccessForbidden, None, who).await);
        }
        let passwords = access.passwords.as_ref()?;
        // Two could be read differently by others, so they count as none.
        let mut fields = request.fields.iter().filter(|field| field.name.eq_ignore_ascii_case(b"authorization"));
        let field = fields.next().map(|field| field.value).filter(|_| fields.next().is_none());
        let reason = match passwords.try_field(field, who.address).await {
            Tried::Right => return None,
            Tried::Busy => Reason::TooManyPending,
            Tried::TooMany => Reason::TooManyOfClient,
            Tried::Wrong => {
                self.challenge.set(Some(&access.challenge));
                Reason::Unauthorized
            }
        };
        Some(self.own(request, client_side, reason, None, who).await)
    }

    async fn sent_on(
        &self,
        location: &Location,
        request: &Request,
        client_side: &mut ClientSide<'_, '_>,
        who: Who,
    ) -> (End, Instant) {
        let Some(to) = location.of(request) else {
            let reason = Reason::Malformed(unladen_http1::Fault::Host);
            return self.own(request, client_side, reason, None, who).await;
        };
        self.begin_own(location.status, client_side, who);
        client_side.response.fields.push(b"location", &to);
        client_side.response.fields.push(b"content-length", b"0");
        self.say(request, client_side, "", (End::Answered, "redirect")).await
    }

    async fn at_once(
        &self,
        status: u16,
        request: &Request,
        client_side: &mut ClientSide<'_, '_>,
        who: Who,
    ) -> (End, Instant) {
        let name = http::StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
        let words = format!("{status} {}\n", name.unwrap_or("by this site's configuration"));
        let words = if matches!(status, 204 | 205) { "" } else { words.as_str() };
        self.begin_own(status, client_side, who);
        let response = &mut *client_side.response;
        if status != 204 {
            response.fields.push(b"content-length", compose::digits(words.len() as u64, &mut [0; 20]));
        }
        if !words.is_empty() {
            response.fields.push(b"content-type", b"text/plain");
            response.length = Length::Exact(words.len() as u64);
        }
        self.say(request, client_side, words, (End::Answered, "route")).await
    }

    /// Replies that no site here has the name (RFC 9110, section 15.5.20), so that a client shown another site's
    /// certificate asks again on a connection of its own; or that the head is too long for the site.
    pub(crate) async fn refused(
        &self,
        request: &mut Request,
        client_side: &mut ClientSide<'_, '_>,
        reason: Reason,
    ) -> (End, Instant) {
        let who = prepare(self.site, request, &self.peer);
        self.client.set(who.address);
        // As with a single site, where nothing is read after such a head. No rates were asked for it.
        if matches!(reason, Reason::Malformed(_)) {
            client_side.client.ends();
        }
        self.own(request, client_side, reason, None, who).await
    }
}
