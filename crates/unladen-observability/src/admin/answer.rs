//! Answers requests to the admin address: [`to`].

use std::sync::atomic::Ordering;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Body;
use hyper::header::{ACCEPT, ALLOW, CACHE_CONTROL, CONTENT_TYPE, HOST, HeaderValue, RETRY_AFTER};
use hyper::{HeaderMap, Method, Request, Response, StatusCode, Uri};
use serde_json::json;

use super::is_local;
use super::purge::purge;
use crate::families::families;
use crate::prometheus::{self, Format};
use crate::{Observability, page, stats};

const TEXT: &str = "text/plain; charset=utf-8";
const JSON: &str = "application/json";

/// The answer to a request.
pub(super) async fn to<B>(request: Request<B>, is_unix: bool, observability: &Observability) -> Response<Full<Bytes>>
where
    B: Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    if !is_unix && !asks_locally(request.uri(), request.headers()) {
        let text = "This address answers to localhost, 127.0.0.1 and [::1] alone.\n";
        return response(StatusCode::MISDIRECTED_REQUEST, TEXT, text);
    }
    if request.uri().path() == "/purge" {
        if request.method() != Method::POST {
            let text = "What is to be purged is sent here by POST.\n";
            return with(response(StatusCode::METHOD_NOT_ALLOWED, TEXT, text), &[(ALLOW.as_str(), "POST")]);
        }
        return match purge(request, observability).await {
            Ok(purged) => response(StatusCode::OK, JSON, format!("{}\n", json!({ "purged": purged }))),
            Err(refusal) => response(refusal.status, JSON, format!("{}\n", json!({ "error": refusal.to_string() }))),
        };
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let text = "There is nothing to change here: GET and HEAD alone (and POST for /purge).\n";
        return with(response(StatusCode::METHOD_NOT_ALLOWED, TEXT, text), &[(ALLOW.as_str(), "GET, HEAD")]);
    }
    match request.uri().path() {
        "/" => {
            let (document, policy) = page::document();
            let policies = [("content-security-policy", &*policy), ("cross-origin-opener-policy", "same-origin")];
            with(response(StatusCode::OK, page::KIND, document), &policies)
        }
        "/metrics" => {
            let accept: Vec<&str> =
                request.headers().get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok()).collect();
            let format = Format::of(&accept.join(","));
            response(
                StatusCode::OK,
                format.content_type(),
                prometheus::write(&families(&observability.snapshot()), format),
            )
        }
        "/stats" => response(StatusCode::OK, JSON, format!("{}\n", stats::document(&observability.snapshot()))),
        "/history" => match observability.history.turn().await {
            Some(turn) => response(StatusCode::OK, JSON, observability.history.document(observability.started, turn)),
            None => {
                let text = "Another client is still reading /history, and there is one answer at a time.\n";
                with(response(StatusCode::SERVICE_UNAVAILABLE, TEXT, text), &[(RETRY_AFTER.as_str(), "1")])
            }
        },
        "/config" => response(StatusCode::OK, JSON, observability.config.load().as_str().to_owned()),
        "/healthz" if observability.draining.load(Ordering::Relaxed) => {
            response(StatusCode::SERVICE_UNAVAILABLE, TEXT, "draining\n")
        }
        "/healthz" => response(StatusCode::OK, TEXT, "ok\n"),
        _ => {
            let text = "There are: / (a live page), /metrics, /stats, /history, /config, /healthz; /purge by POST.\n";
            response(StatusCode::NOT_FOUND, TEXT, text)
        }
    }
}

fn response(status: StatusCode, kind: &'static str, body: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    let always = [
        (CONTENT_TYPE.as_str(), kind),
        (CACHE_CONTROL.as_str(), "no-store"),
        ("x-content-type-options", "nosniff"),
        ("cross-origin-resource-policy", "same-origin"),
        ("referrer-policy", "no-referrer"),
    ];
    with(response, &always)
}

fn with(mut response: Response<Full<Bytes>>, fields: &[(&'static str, &str)]) -> Response<Full<Bytes>> {
    for &(name, value) in fields {
        // None of them has a byte that may not be in one.
        if let Ok(value) = HeaderValue::from_str(value) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

/// By all that it names: the target's authority, and each `Host`. Without any, it is no browser's.
fn asks_locally(uri: &Uri, headers: &HeaderMap) -> bool {
    let hosts: Vec<&HeaderValue> = headers.get_all(HOST).iter().collect();
    uri.authority().is_none_or(|authority| is_local(authority.as_str()))
        && hosts.len() <= 1
        && hosts.iter().all(|host| host.to_str().is_ok_and(is_local))
}
