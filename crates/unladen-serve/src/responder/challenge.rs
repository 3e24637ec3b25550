//! The page that an authority asks for, to see that a host is this machine's (RFC 8555, section 8.3).

use std::time::Instant;

use unladen_http1::{Length, Request};
use unladen_observability::End;

use super::inbound_request::{ClientSide, InboundRequest};
use crate::site::prepare::prepare;

impl InboundRequest<'_> {
    /// Answers with the page.
    pub(crate) async fn challenge(
        &self,
        request: &mut Request,
        client_side: &mut ClientSide<'_, '_>,
        page: &str,
    ) -> (End, Instant) {
        let who = prepare(self.site, request, &self.peer);
        self.client.set(who.address);
        let response = &mut *client_side.response;
        response.status = 200;
        response.minor = 1;
        response.length = Length::Exact(page.len() as u64);
        response.fields.clear();
        response.fields.push(b"content-type", b"application/octet-stream");
        response.fields.push(b"content-length", page.len().to_string().as_bytes());
        response.fields.push(b"cache-control", b"no-store");
        self.say(request, client_side, page, (End::Answered, "acme-challenge")).await
    }
}
