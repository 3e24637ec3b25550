//! Answers requests to the admin address: [`to`].

use std::sync::atomic::Ordering;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Body;
use hyper::header::RETRY_AFTER;
use hyper::{Method, Request, Response, StatusCode};
use serde_json::json;
use unladen_local::{JSON, TEXT, not_allowed, response, with};

use super::fleet_told::told;
use super::metrics::metrics;
use super::peers;
use super::probes;
use super::purge::{Purged, purge};
use crate::{Observability, page, stats};

pub(super) async fn to<B>(request: Request<B>, observability: &Observability) -> Response<Full<Bytes>>
where
    B: Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    if request.uri().path() == "/purge" {
        if request.method() != Method::POST {
            return not_allowed("POST", "What is to be purged is sent here by POST.\n");
        }
        return match purge(request, observability).await {
            Ok(Purged { purged, fleet: None }) => {
                response(StatusCode::OK, JSON, format!("{}\n", json!({ "purged": purged })))
            }
            Ok(Purged { purged, fleet: Some(outcome) }) => {
                let status = if outcome.is_confirmed { StatusCode::OK } else { StatusCode::ACCEPTED };
                response(status, JSON, format!("{}\n", json!({ "purged": purged, "fleet": told(&outcome) })))
            }
            Err(refusal) => response(refusal.status, JSON, format!("{}\n", json!({ "error": refusal.to_string() }))),
        };
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let text = "There is nothing to change here: GET and HEAD alone (and POST for /purge).\n";
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
                let text = "Another client is still reading /history, and there is one answer at a time.\n";
                with(response(StatusCode::SERVICE_UNAVAILABLE, TEXT, text), &[(RETRY_AFTER.as_str(), "1")])
            }
        },
        "/peers" => response(StatusCode::OK, JSON, format!("{}\n", peers::document(observability).await)),
        "/config" => response(StatusCode::OK, JSON, observability.config.load().as_str().to_owned()),
        "/healthz" if observability.draining.load(Ordering::Relaxed) => {
            response(StatusCode::SERVICE_UNAVAILABLE, TEXT, "draining\n")
        }
        "/healthz" => response(StatusCode::OK, TEXT, "ok\n"),
        "/livez" => probes::live(request.headers(), observability).await,
        "/readyz" => probes::ready(request.headers(), observability),
        _ => {
            let text = "There are: / (a live page), /metrics, /stats, /history, /peers, /config, /livez, /readyz, /healthz; /purge \
                        by POST.\n";
            response(StatusCode::NOT_FOUND, TEXT, text)
        }
    }
}
