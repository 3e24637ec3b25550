//! [`local_reply`]: an answer of our own as its reader wants it.

use std::time::Duration;

use unladen_http1::{Length, Request, Response};
use unladen_observability::Reason;

use crate::message::compose;
use crate::message::error_page::{ErrorPage, shown, takes_html};

/// Makes the head of a local reply of a site, and gives its body: the site's page for those who take HTML; else words,
/// with the request's identifier, by which its line in the log is found.
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
mod tests {
    use super::*;

    fn reply(page: Option<&str>, accept: &str, id: &[u8]) -> (Response, String) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page.html");
        let page = page.map(|text| {
            std::fs::write(&path, text).unwrap();
            ErrorPage::read(&path).unwrap()
        });
        let mut request = Request::default();
        request.fields.push(b"accept", accept.as_bytes());
        let mut response = Response::default();
        let after = Some(Duration::from_millis(1500));
        let body = local_reply(&mut response, (Reason::QueueFull, after), page.as_ref(), &request, id);
        (response, body)
    }

    #[test]
    fn a_reply_shows_the_identifier_and_its_own_length() {
        for (page, accept, id, kind, wanted) in [
            (Some("<p>{status} {request_id}"), "text/html", &b"a<b"[..], "text/html; charset=utf-8", "<p>503 a&lt;b"),
            (Some("<p>{status}"), "*/*", b"x", "text/plain", "503 queue_full\nrequest x\n"),
            (None, "text/html", b"x", "text/plain", "503 queue_full\nrequest x\n"),
            (None, "text/html", b"", "text/plain", "503 queue_full\n"),
        ] {
            let (response, body) = reply(page, accept, id);
            assert_eq!(body, wanted);
            assert_eq!(response.length, Length::Exact(body.len() as u64));
            let field =
                |name: &[u8]| response.fields.find(name).map(|value| String::from_utf8_lossy(value).into_owned());
            assert_eq!(field(b"content-type").as_deref(), Some(kind));
            assert_eq!(field(b"content-length"), Some(body.len().to_string()));
            assert_eq!(field(b"retry-after").as_deref(), Some("2"));
            assert_eq!(field(b"vary").as_deref(), page.map(|_| "accept"));
        }
    }
}
