//! The page by which a certificate authority verifies a host (RFC 8555, section 8.3).

use std::time::Instant;

use unladen_http1::Request;
use unladen_observability::End;

use super::inbound_request::{ClientSide, InboundRequest};
use crate::message::compose::not_kept;
use crate::site::prepare::prepare;

impl InboundRequest<'_> {
    pub(crate) async fn challenge(
        &self,
        request: &mut Request,
        client_side: &mut ClientSide<'_, '_>,
        page: &str,
    ) -> (End, Instant) {
        let who = prepare(self.site, request, &self.peer);
        self.client.set(who.address);
        not_kept(client_side.response, 200, b"application/octet-stream", page);
        self.say(request, client_side, page, (End::Answered, "acme-challenge")).await
    }
}
