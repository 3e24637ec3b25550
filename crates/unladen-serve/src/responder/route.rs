//! [`InboundRequest::route`]: which route of a site takes a request, whom it lets in, and what answers there.

use unladen_http1::{Length, Request};
use unladen_observability::{Cause, End, Reason};

use super::admit::InboundRequest;
use super::files::Filed;
use crate::message::compose;
use crate::message::downstream::ClientSide;
use crate::request::Finished;
use crate::site::folder::Folder;
use crate::site::passwords::Tried;
use crate::site::prepare::edit;
use crate::site::route::{Access, Action, Location, Route};
use crate::site::routes::{ChosenRoute, NoRoute, Routes};

impl<'a> InboundRequest<'a> {
    pub(super) async fn route(
        mut self,
        routes: &'a Routes,
        request: &mut Request,
        to: &mut ClientSide<'_, '_>,
    ) -> Finished {
        let found = routes.find(&request.method, &request.target);
        let is_disguised = self.who.get().is_disguised;
        let found = found.and_then(|route| match is_disguised && routes.is_got_round(route, request) {
            true => Err(NoRoute::Disguised),
            false => Ok(route),
        });
        let route = match found {
            Ok(route) => route,
            Err(error) => {
                let text = error.to_string();
                self.cause.replace(Some(Box::new(Cause { reason: Reason::BadPath, endpoint: None, text })));
                return self.send_local_reply(request, to, Reason::BadPath, None).await;
            }
        };
        self.proxy = &route.proxy;
        self.index = route.proxy.index(self.index);
        self.is_cached = route.cache;
        // A peer does this to its own answers.
        if let Some(edits) = route.response.as_ref().filter(|_| !self.is_for_peer()) {
            to.client.set_edits(edits.clone());
        }
        if let Some(access) = &route.access
            && let Some(finished) = self.kept_out(access, request, to).await
        {
            return finished;
        }
        if let Some(edits) = &route.request {
            let mut who = self.who.get();
            edit(edits, &mut request.fields, &mut who);
            self.who.set(who);
        }
        let chosen = ChosenRoute { route, routes };
        match &route.action {
            Action::Application => match self.guarded(chosen.guards_of_program(request), request, to).await {
                Some(finished) => finished,
                None => self.look_up(request, to).await,
            },
            Action::Files(folder) => match self.found(chosen, folder, request, to).await {
                Some(finished) => finished,
                // Elsewhere a script would stand for it, so it is not sent.
                None => self.send_local_reply(request, to, Reason::NotFound, None).await,
            },
            Action::Scripts(folder) => match self.found(chosen, folder, request, to).await {
                Some(finished) => finished,
                None => self.look_up(request, to).await,
            },
            Action::Redirect(location) => self.send_on(location, request, to).await,
            Action::Status(status) => self.send_status(*status, request, to).await,
        }
    }

    /// Sends a file; `None` if a script stands for the path, which is kept.
    async fn found(
        &mut self,
        chosen: ChosenRoute<'a>,
        folder: &Folder,
        request: &Request,
        to: &mut ClientSide<'_, '_>,
    ) -> Option<Finished> {
        match self.files(chosen, folder, request, to).await {
            Filed::Finished(finished) => Some(finished),
            Filed::Script(script) => {
                self.script.replace(Some(script));
                None
            }
        }
    }

    /// Replies to a client that guarding routes keep from what the path comes to; `None` if they let it in. Then the
    /// route of the path applies, with caching only if all allow it.
    pub(super) async fn guarded(
        &mut self,
        guards: Vec<&'a Route>,
        request: &Request,
        to: &mut ClientSide<'_, '_>,
    ) -> Option<Finished> {
        for guard in guards {
            self.is_cached &= guard.cache;
            if let Some(access) = &guard.access
                && let Some(finished) = self.kept_out(access, request, to).await
            {
                return Some(finished);
            }
            if let Action::Status(status @ 400..) = guard.action {
                if let Some(edits) = &guard.response {
                    to.client.set_edits(edits.clone());
                }
                return Some(self.send_status(status, request, to).await);
            }
        }
        None
    }

    /// Replies to a client that the route does not let in; `None` if it does.
    async fn kept_out(&self, access: &'a Access, request: &Request, to: &mut ClientSide<'_, '_>) -> Option<Finished> {
        let address = self.who.get().address;
        if !access.lets_in(address) {
            return Some(self.send_local_reply(request, to, Reason::AccessForbidden, None).await);
        }
        let passwords = access.passwords.as_ref()?;
        // Two could be read differently by others, so they count as none.
        let mut fields = request.fields.iter().filter(|field| field.name.eq_ignore_ascii_case(b"authorization"));
        let field = fields.next().map(|field| field.value).filter(|_| fields.next().is_none());
        let reason = match passwords.try_field(field, address).await {
            Tried::Right => return None,
            Tried::Busy => Reason::TooManyPending,
            Tried::TooMany => Reason::TooManyOfClient,
            Tried::Wrong => {
                self.challenge.set(Some(&access.challenge));
                Reason::Unauthorized
            }
        };
        Some(self.send_local_reply(request, to, reason, None).await)
    }

    async fn send_on(&self, location: &Location, request: &Request, to: &mut ClientSide<'_, '_>) -> Finished {
        match location.of(request) {
            Some(url) => self.send_redirect(location.status, &url, request, to).await,
            None => self.send_local_reply(request, to, Reason::Malformed(unladen_http1::Fault::Host), None).await,
        }
    }

    async fn send_status(&self, status: u16, request: &Request, to: &mut ClientSide<'_, '_>) -> Finished {
        let name = http::StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
        let words = format!("{status} {}\n", name.unwrap_or("by this site's configuration"));
        let words = if matches!(status, 204 | 205) { "" } else { words.as_str() };
        self.begin_reply(status, to);
        let response = &mut *to.response;
        if status != 204 {
            response.fields.push(b"content-length", compose::digits(words.len() as u64, &mut [0; 20]));
        }
        if !words.is_empty() {
            response.fields.push(b"content-type", b"text/plain");
            response.length = Length::Exact(words.len() as u64);
        }
        self.send_text(request, to, words, (End::Answered, "route")).await
    }
}
