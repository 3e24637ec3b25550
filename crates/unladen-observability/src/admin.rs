//! The admin address: [`serve`] provides metrics, settings, health and a live page, and accepts purges. The listener is
//! in `unladen-local`, which refuses requests under another machine's name. [`serve_probes`] answers only kubelet
//! probes and Prometheus, at an address that they can reach.

mod purge;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Body;
use hyper::header::{ACCEPT, RETRY_AFTER};
use hyper::{HeaderMap, Method, Request, Response, StatusCode};
use serde_json::{Value, json};
use tokio::time::MissedTickBehavior;
use unladen_fleet::Outcome;
use unladen_local::{Incoming, JSON, Listener, TEXT, not_allowed, response, with};

use crate::families::families;
use crate::history::EVERY;
use crate::prometheus::{self, Format};
use crate::readiness::Readiness;
use crate::wall::Wall;
use crate::{Observability, page, stats};
use purge::{Purged, purge};

/// Serves and keeps the data of `/history` as long as it is polled; connections end with it.
pub async fn serve(listener: Listener, observability: Arc<Observability>) {
    let shared = Arc::clone(&observability);
    let answer = move |request: hyper::Request<Incoming>| {
        let observability = Arc::clone(&shared);
        async move { respond(request, &observability).await }
    };
    tokio::select! {
        () = unladen_local::serve(listener, answer) => {}
        () = keep_history(&observability) => {}
    }
}

/// Serves probes and metrics as long as it is polled, at an address that others may reach.
pub async fn serve_probes(listener: Listener, observability: Arc<Observability>) {
    let answer = move |request: hyper::Request<Incoming>| {
        let observability = Arc::clone(&observability);
        async move { respond_to_probe(request, &observability).await }
    };
    unladen_local::serve(listener, answer).await;
}

async fn keep_history(observability: &Observability) {
    let mut ticks = tokio::time::interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        observability.history.take(&observability.counts());
    }
}

async fn respond<B>(request: Request<B>, observability: &Observability) -> Response<Full<Bytes>>
where
    B: Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    if request.uri().path() == "/purge" {
        if request.method() != Method::POST {
            return not_allowed("POST", "Purges are sent here by POST.\n");
        }
        return match purge(request, observability).await {
            Ok(Purged { purged, fleet: None }) => {
                response(StatusCode::OK, JSON, format!("{}\n", json!({ "purged": purged })))
            }
            Ok(Purged { purged, fleet: Some(outcome) }) => {
                let status = if outcome.is_confirmed { StatusCode::OK } else { StatusCode::ACCEPTED };
                response(status, JSON, format!("{}\n", json!({ "purged": purged, "fleet": fleet_told(&outcome) })))
            }
            Err(refusal) => response(refusal.status, JSON, format!("{}\n", json!({ "error": refusal.to_string() }))),
        };
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let text = "Nothing can be changed here: only GET and HEAD are allowed (and POST for /purge).\n";
        return not_allowed("GET, HEAD", text);
    }
    match request.uri().path() {
        "/" => {
            let (document, policy) = page::document();
            let policies = [("content-security-policy", &*policy), ("cross-origin-opener-policy", "same-origin")];
            with(response(StatusCode::OK, page::KIND, document), &policies)
        }
        "/metrics" => metrics(request.headers(), observability),
        "/stats" => response(StatusCode::OK, JSON, format!("{}\n", stats::document(&observability.snapshot()))),
        "/history" => match observability.history.turn().await {
            Some(turn) => response(StatusCode::OK, JSON, observability.history.document(observability.started, turn)),
            None => {
                let text = "Another client is still reading /history; only one answer is sent at a time.\n";
                with(response(StatusCode::SERVICE_UNAVAILABLE, TEXT, text), &[(RETRY_AFTER.as_str(), "1")])
            }
        },
        "/peers" => response(StatusCode::OK, JSON, format!("{}\n", peers(observability).await)),
        "/config" => response(StatusCode::OK, JSON, observability.config.load().as_str().to_owned()),
        "/healthz" if observability.draining.load(Ordering::Relaxed) => {
            response(StatusCode::SERVICE_UNAVAILABLE, TEXT, "draining\n")
        }
        "/healthz" => response(StatusCode::OK, TEXT, "ok\n"),
        "/livez" => live(request.headers(), observability).await,
        "/readyz" => ready(request.headers(), observability),
        _ => {
            let text = "Available: / (a live page), /metrics, /stats, /history, /peers, /config, /livez, /readyz, \
                        /healthz; /purge by POST.\n";
            response(StatusCode::NOT_FOUND, TEXT, text)
        }
    }
}

fn fleet_told(outcome: &Outcome) -> Value {
    json!({
        "wait": outcome.wait.into_str(),
        "confirmed": outcome.is_confirmed,
        "written": outcome.written.as_ref().map(ToString::to_string),
        "why": outcome.why,
        "took_ms": milliseconds(outcome.took),
        "nodes": outcome.nodes.iter().map(|node| json!({
            "node": node.node,
            "confirmed_ms": node.confirmed_after.map(milliseconds),
            "left": node.has_left,
        })).collect::<Vec<_>>(),
    })
}

/// Rounded to the microsecond.
fn milliseconds(time: std::time::Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

/// Time limit for a live thread's answer. Far above the time between two requests, even under a container's CPU limit:
/// a wrong answer here kills the process.
const WITHIN: Duration = Duration::from_secs(5);

async fn respond_to_probe<B>(request: Request<B>, observability: &Observability) -> Response<Full<Bytes>> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return not_allowed("GET, HEAD", "Nothing can be changed here: only GET and HEAD are allowed.\n");
    }
    match request.uri().path() {
        "/livez" => live(request.headers(), observability).await,
        "/readyz" => ready(request.headers(), observability),
        "/metrics" => metrics(request.headers(), observability),
        _ => response(StatusCode::NOT_FOUND, TEXT, "Available: /livez, /readyz, /metrics.\n"),
    }
}

/// Whether all threads that carry requests still reach their event loop between two requests, and nothing more: a
/// supervisor that restarts a process for what others lack restarts all of them.
pub(crate) async fn live(headers: &HeaderMap, observability: &Observability) -> Response<Full<Bytes>> {
    let (count, silent) = observability.pulses.silent(WITHIN).await;
    let is_live = silent.is_empty();
    let text = || match is_live {
        true => format!("live: {count} of {count} threads answer\n"),
        false => format!("not live: of {count} threads, {silent:?} have not answered within {WITHIN:?}\n"),
    };
    let document = || json!({ "schema": "unladen.serve-live/1", "live": is_live, "threads": count, "silent": silent });
    verdict(headers, is_live, text, document)
}

pub(crate) fn ready(headers: &HeaderMap, observability: &Observability) -> Response<Full<Bytes>> {
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

pub(crate) fn metrics(headers: &HeaderMap, observability: &Observability) -> Response<Full<Bytes>> {
    let accept: Vec<&str> = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok()).collect();
    let format = Format::of(&accept.join(","));
    response(StatusCode::OK, format.content_type(), prometheus::write(&families(&observability.snapshot()), format))
}

pub(crate) async fn peers(observability: &Observability) -> Value {
    let fleet = observability.fleet().map(|fleet| {
        let nodes = fleet.nodes();
        let own = &fleet.settings().bus.node;
        json!({
            "node": own,
            "nodes": nodes.all,
            "looked_ago_ns": nodes.looked.map(|looked| looked.elapsed().as_nanos() as u64),
            // Those that are furthest behind.
            "list": nodes.nodes.iter().map(|one| json!({
                "node": &*one.node,
                "own": *one.node == **own,
                "behind": one.behind,
            })).collect::<Vec<_>>(),
        })
    });
    json!({
        "schema": "unladen.serve-peers/1",
        "time": Wall::now().to_string(),
        "fleet": fleet,
        "peers": observability.peers.state().await,
    })
}

#[cfg(test)]
mod tests;
