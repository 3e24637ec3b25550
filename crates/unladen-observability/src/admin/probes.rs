//! Probes of a supervisor: whether this process is alive ([`live`]), and whether it should get clients ([`ready`]); and
//! [`to`], which serves them at a public address.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::ACCEPT;
use hyper::{HeaderMap, Method, Request, Response, StatusCode};
use serde_json::{Value, json};
use unladen_local::{JSON, TEXT, not_allowed, response};

use super::metrics::metrics;
use crate::Observability;
use crate::readiness::Readiness;

/// Time limit for a live thread's answer. Far above the time between two requests, even under a container's CPU limit:
/// a wrong answer here kills the process.
const WITHIN: Duration = Duration::from_secs(5);

pub(super) async fn to<B>(request: Request<B>, observability: &Observability) -> Response<Full<Bytes>> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return not_allowed("GET, HEAD", "There is nothing to change here: GET and HEAD alone.\n");
    }
    match request.uri().path() {
        "/livez" => live(request.headers(), observability).await,
        "/readyz" => ready(request.headers(), observability),
        "/metrics" => metrics(request.headers(), observability),
        _ => response(StatusCode::NOT_FOUND, TEXT, "There are: /livez, /readyz, /metrics.\n"),
    }
}

/// Whether all threads that carry requests still reach their event loop between two requests, and nothing more: a
/// supervisor that restarts a process for what others lack restarts all of them.
pub(super) async fn live(headers: &HeaderMap, observability: &Observability) -> Response<Full<Bytes>> {
    let (count, silent) = observability.pulses.silent(WITHIN).await;
    let is_live = silent.is_empty();
    let text = || match is_live {
        true => format!("live: {count} of {count} threads answer\n"),
        false => format!("not live: of {count} threads, {silent:?} have not answered within {WITHIN:?}\n"),
    };
    let document = || json!({ "schema": "unladen.serve-live/1", "live": is_live, "threads": count, "silent": silent });
    verdict(headers, is_live, text, document)
}

pub(super) fn ready(headers: &HeaderMap, observability: &Observability) -> Response<Full<Bytes>> {
    let readiness = Readiness::of(observability);
    verdict(headers, readiness.is_ready(), || readiness.text(), || readiness.document())
}

fn verdict(
    headers: &HeaderMap,
    is_so: bool,
    text: impl FnOnce() -> String,
    document: impl FnOnce() -> Value,
) -> Response<Full<Bytes>> {
    let status = if is_so { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let wants_json = |accept: &hyper::header::HeaderValue| accept.to_str().is_ok_and(|one| one.contains(JSON));
    match headers.get_all(ACCEPT).iter().any(wants_json) {
        true => response(status, JSON, format!("{}\n", document())),
        false => response(status, TEXT, text()),
    }
}
