//! [`last_hop`]: TRACE and OPTIONS that go no further (RFC 9110, section 7.6.2).

use std::time::Instant;

use unladen_http1::{Length, Request};
use unladen_observability::{CacheResult, End, RequestAccount};

use super::admit::Arrival;
use crate::context::Context;
use crate::message::compose::digits;
use crate::message::downstream::{ClientSide, ResponseOptions};
use crate::proxy::Proxy;
use crate::request::Finished;
use crate::request::watch::Deadline;

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
