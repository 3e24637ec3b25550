//! The answer to Prometheus: [`metrics`].

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::ACCEPT;
use hyper::{HeaderMap, Response, StatusCode};
use unladen_local::response;

use crate::Observability;
use crate::families::families;
use crate::prometheus::{self, Format};

pub(super) fn metrics(headers: &HeaderMap, observability: &Observability) -> Response<Full<Bytes>> {
    let accept: Vec<&str> = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok()).collect();
    let format = Format::of(&accept.join(","));
    response(StatusCode::OK, format.content_type(), prometheus::write(&families(&observability.snapshot()), format))
}
