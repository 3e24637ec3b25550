//! Redirects plain HTTP to https, except PURGE: applications send it as to a proxy, in the clear.

use std::time::Instant;

use unladen_http1::{Length, Request, Response};
use unladen_observability::{End, Reason};

use super::inbound_request::{ClientSide, InboundRequest};

impl InboundRequest<'_> {
    pub(crate) async fn redirect(&self, request: &mut Request, client_side: &mut ClientSide<'_, '_>) -> (End, Instant) {
        let who = match self.admit(request, client_side).await {
            Ok(who) => who,
            Err(ended) => return ended,
        };
        let request = &*request;
        if redirect(client_side.response, request, self.site.https_port()).is_none() {
            let reason = Reason::Malformed(unladen_http1::Fault::Host);
            return self.own(request, client_side, reason, None, who).await;
        }
        self.say(request, client_side, "", (End::Answered, "redirect")).await
    }
}

/// The same URL by https; `None` if the request names no host.
fn redirect(response: &mut Response, request: &Request, port: Option<u16>) -> Option<()> {
    let host = host(&request.authority);
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

fn host(authority: &[u8]) -> &[u8] {
    let end = match authority.iter().rposition(|byte| *byte == b':') {
        // An IPv6 address has its colons in brackets.
        Some(colon) if !authority[colon..].contains(&b']') => colon,
        _ => authority.len(),
    };
    &authority[..end]
}

#[cfg(test)]
mod tests;
