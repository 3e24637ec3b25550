//! [`local_reply`]: an error answer in the form its reader wants.

use std::time::Duration;

use unladen_http1::{Length, Request, Response};
use unladen_observability::Reason;

use crate::message::compose;
use crate::message::error_page::{ErrorPage, shown, takes_html};

/// Makes a site's local reply: its own page for clients that take HTML; else text with the request identifier, which
/// finds the log line.
pub(crate) fn local_reply(
    response: &mut Response,
    (reason, retry_after): (Reason, Option<Duration>),
    page: Option<&ErrorPage>,
    request: &Request,
    id: &[u8],
) -> String {
    let words = compose::local(response, reason, retry_after);
    let body = match page {
        Some(page) if takes_html(&request.fields) => {
            response.fields.set(b"content-type", b"text/html; charset=utf-8");
            page.write(response.status, reason, id)
        }
        _ if id.is_empty() => words,
        _ => format!("{words}request {}\n", shown(id)),
    };
    if page.is_some() {
        response.fields.push(b"vary", b"accept");
    }
    if reason == Reason::MethodNotAllowed {
        response.fields.push(b"allow", b"GET, HEAD");
    }
    response.length = Length::Exact(body.len() as u64);
    response.fields.set(b"content-length", body.len().to_string().as_bytes());
    body
}

#[cfg(test)]
mod tests;
