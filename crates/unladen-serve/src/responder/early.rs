//! What is answered before a site's pipeline: TRACE and OPTIONS that go no further (RFC 9110, section 7.6.2), redirects
//! of plain HTTP to https, except of PURGE, which applications send as to a proxy, in the clear; an authority's
//! challenge; and requests for no site here.

use std::time::Instant;

use unladen_http1::{Length, Request, Response};
use unladen_observability::{CacheResult, End, Reason, RequestAccount};

use super::admit::{Arrival, InboundRequest};
use crate::context::Context;
use crate::message::compose::{digits, not_kept};
use crate::message::downstream::{ClientSide, ResponseOptions};
use crate::proxy::Proxy;
use crate::request::Finished;
use crate::request::watch::Deadline;
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

const MAX_FORWARDS: &[u8] = b"max-forwards";

/// Counts a hop, and returns the reply's status at the last.
///
/// TRACE does not echo the request: that would reveal proxies' fields and cookies to scripts of the page.
pub(super) fn counted(request: &mut Request) -> Option<u16> {
    let status = match &*request.method {
        b"OPTIONS" => 200,
        b"TRACE" => 405,
        _ => return None,
    };
    let said = request.fields.iter().filter(|field| field.name.eq_ignore_ascii_case(MAX_FORWARDS));
    // The least of several counts.
    let hops = said.filter_map(|field| number(field.value)).min()?;
    let Some(left) = hops.checked_sub(1) else { return Some(status) };
    request.fields.set(MAX_FORWARDS, digits(left, &mut [0; 20]));
    None
}

/// Numbers out of range saturate; others are ignored.
fn number(digits: &[u8]) -> Option<u64> {
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    is_number.then(|| std::str::from_utf8(digits).ok()?.parse().ok()).map(|number| number.unwrap_or(u64::MAX))
}

/// Answers as the final recipient.
pub(super) async fn last_hop(
    proxy: &Proxy,
    context: &Context,
    arrival: &Arrival,
    request: &Request,
    to: &mut ClientSide<'_, '_>,
    status: u16,
) -> Finished {
    let response = &mut *to.response;
    response.fields.clear();
    (response.status, response.minor, response.length) = (status, 1, Length::Exact(0));
    response.fields.push(b"content-length", b"0");
    // Methods that are passed on (RFC 9110, sections 9.3.7 and 15.5.6).
    response.fields.push(b"allow", b"GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
    let deadline = Deadline::of_local_reply(Instant::now());
    let options = ResponseOptions { via: proxy.settings.via, ..ResponseOptions::default() };
    let end = if to.answer("", options, &deadline).await { End::Answered } else { End::ClientGone };
    let now = deadline.look();
    let total = now.saturating_duration_since(arrival.began);
    let record = RequestAccount {
        method: &request.method,
        target: &request.target,
        authority: &request.authority,
        client_version: arrival.version,
        client: arrival.peer.address,
        fields: Some(&request.fields),
        cache: Some((CacheResult::Own, "max-forwards")),
        ..RequestAccount::unasked(&proxy.upstream.settings().name, status, end, arrival.began, total)
    };
    context.observability.observe(&record, arrival.index);
    (end, now)
}

#[cfg(test)]
mod tests;
