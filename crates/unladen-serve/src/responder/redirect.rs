//! What a site answers before its pipeline: redirects of plain HTTP to https, except of PURGE, which applications send as
//! to a proxy, in the clear; an authority's challenge; and requests for no site here.

use unladen_http1::{Length, Request, Response};
use unladen_observability::{End, Reason};

use super::admit::InboundRequest;
use crate::message::compose::not_kept;
use crate::message::downstream::ClientSide;
use crate::request::Finished;
use crate::site::hosts::without_port;
use crate::site::prepare::prepare;

impl InboundRequest<'_> {
    pub(super) async fn redirect(&self, request: &mut Request, to: &mut ClientSide<'_, '_>) -> Finished {
        if let Err(finished) = self.admit(request, to).await {
            return finished;
        }
        let request = &*request;
        if redirect(to.response, request, self.site.https_port()).is_none() {
            let reason = Reason::Malformed(unladen_http1::Fault::Host);
            return self.send_local_reply(request, to, reason, None).await;
        }
        self.send_text(request, to, "", (End::Answered, "redirect")).await
    }

    /// The page by which a certificate authority verifies a host (RFC 8555, section 8.3).
    pub(super) async fn challenge(&self, request: &mut Request, to: &mut ClientSide<'_, '_>, page: &str) -> Finished {
        self.who.set(prepare(self.site, request, &self.peer));
        not_kept(to.response, 200, b"application/octet-stream", page);
        self.send_text(request, to, page, (End::Answered, "acme-challenge")).await
    }

    /// Replies that no site here has the name (RFC 9110, section 15.5.20), so that a client shown another site's
    /// certificate asks again on a connection of its own; or that the head is too long for the site.
    pub(super) async fn refused(&self, request: &mut Request, to: &mut ClientSide<'_, '_>, reason: Reason) -> Finished {
        self.who.set(prepare(self.site, request, &self.peer));
        // As with a single site, where nothing is read after such a head. No rates were asked for it.
        if matches!(reason, Reason::Malformed(_)) {
            to.client.ends();
        }
        self.send_local_reply(request, to, reason, None).await
    }
}

/// The same URL by https; `None` if the request names no host.
fn redirect(response: &mut Response, request: &Request, port: Option<u16>) -> Option<()> {
    let host = without_port(&request.authority);
    if host.is_empty() {
        return None;
    }
    let mut location = b"https://".to_vec();
    location.extend_from_slice(host);
    if let Some(port) = port.filter(|port| *port != 443) {
        location.extend_from_slice(format!(":{port}").as_bytes());
    }
    location.extend_from_slice(if request.target == b"*" { b"/" } else { &request.target });
    // 308 keeps the method and the body, which 301 does not (RFC 9110, section 15.4.9).
    response.status = if matches!(&*request.method, b"GET" | b"HEAD") { 301 } else { 308 };
    response.minor = 1;
    response.length = Length::Exact(0);
    response.fields.clear();
    response.fields.push(b"location", &location);
    response.fields.push(b"content-length", b"0");
    Some(())
}

#[cfg(test)]
mod tests;
