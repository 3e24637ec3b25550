//! Writes metrics as OTLP's JSON: [`request`].

use serde_json::{Value, json};

use super::traces::{attribute, scope};
use crate::exemplar::Exemplar;
use crate::families::{Amount, Attributes, Examples, Family, Shape, Unit};
use crate::hex;
use crate::histogram::BOUNDS;
use crate::wall::Wall;

const CUMULATIVE: u8 = 2;

/// Attributes that are integers by the conventions.
const INTEGERS: [&str; 2] = ["http.response.status_code", "server.port"];

pub(super) fn request(families: &[Family], resource: &Value, started: Wall, now: Wall) -> Value {
    let metrics: Vec<Value> = families.iter().map(|family| metric(family, started, now)).collect();
    json!({ "resourceMetrics": [{ "resource": resource, "scopeMetrics": [{ "scope": scope(), "metrics": metrics }] }] })
}

fn metric(family: &Family, started: Wall, now: Wall) -> Value {
    let points: Vec<Value> = family
        .points
        .iter()
        .map(|point| {
            let mut document = json!({
                "attributes": attributes(&point.attributes),
                "timeUnixNano": now.ns().to_string(),
            });
            if family.shape != Shape::Gauge {
                document["startTimeUnixNano"] = started.ns().to_string().into();
            }
            match point.value {
                Amount::Whole(n) => document["asInt"] = n.to_string().into(),
                Amount::Real(x) => document["asDouble"] = x.into(),
                Amount::Histogram(totals) => {
                    let bounds: Vec<f64> = BOUNDS.iter().map(|&ns| ns as f64 / 1e9).collect();
                    document["count"] = totals.count().to_string().into();
                    document["sum"] = (totals.sum_ns as f64 / 1e9).into();
                    document["bucketCounts"] = totals.buckets.iter().map(u64::to_string).collect::<Vec<_>>().into();
                    document["explicitBounds"] = bounds.into();
                }
            }
            let exemplars: Vec<Value> = match point.exemplars.as_deref() {
                Some(Examples::Buckets(buckets)) => buckets
                    .iter()
                    .flatten()
                    .map(|one| exemplar(one, "asDouble", (one.ns as f64 / 1e9).into()))
                    .collect(),
                Some(Examples::Last(one)) => vec![exemplar(one, "asInt", "1".into())],
                None => Vec::new(),
            };
            if !exemplars.is_empty() {
                document["exemplars"] = exemplars.into();
            }
            document
        })
        .collect();
    let (kind, data) = match family.shape {
        Shape::Counter | Shape::UpDown => (
            "sum",
            json!({
                "dataPoints": points,
                "aggregationTemporality": CUMULATIVE,
                "isMonotonic": family.shape == Shape::Counter,
            }),
        ),
        Shape::Gauge => ("gauge", json!({ "dataPoints": points })),
        Shape::Histogram => ("histogram", json!({ "dataPoints": points, "aggregationTemporality": CUMULATIVE })),
    };
    let unit = match family.unit {
        Unit::Seconds => "s",
        Unit::Bytes => "By",
        Unit::Of(thing) => thing,
    };
    json!({ "name": family.name, "description": family.help, "unit": unit, kind: data })
}

fn exemplar(exemplar: &Exemplar, key: &str, value: Value) -> Value {
    json!({
        "timeUnixNano": Wall::of(exemplar.at).ns().to_string(),
        key: value,
        "traceId": hex::string(&exemplar.trace_id),
        "spanId": hex::string(&exemplar.span_id),
    })
}

fn attributes(attributes: &Attributes) -> Vec<Value> {
    let of = |(key, value): &(&'static str, std::borrow::Cow<'static, str>)| match value.parse::<u16>() {
        Ok(n) if INTEGERS.contains(key) => attribute(key, n),
        _ => attribute(key, value.to_string()),
    };
    attributes.iter().map(of).collect()
}
