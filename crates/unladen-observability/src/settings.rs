//! Settings: the principal types are [`LogSettings`] and [`OtlpSettings`].

use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::log_fields::{Addresses, LogFields};
use crate::peers::PeerAddress;

/// The access log: one request a line, in JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LogSettings {
    /// `None` for standard error. A file is reopened at each reload, for logrotate.
    pub file: Option<PathBuf>,
    /// Share of requests that is logged; failures and statuses of 500 or more always are.
    pub sample: f64,
    pub fields: LogFields,
    pub addresses: Addresses,
}

/// An OpenTelemetry collector, reached by OTLP over HTTP.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OtlpSettings {
    /// `http://127.0.0.1:4318`: `/v1/traces` and `/v1/metrics` are added.
    pub endpoint: String,
    /// Traced share of the requests without a caller's decision (`traceparent`).
    pub sample: f64,
    pub every: Duration,
    pub service: String,
    /// `deployment.environment.name`, such as `production`.
    pub environment: Option<String>,
    /// `cloud.availability_zone` of this machine.
    #[serde(skip)]
    pub zone: Option<String>,
}

/// Settings of observability.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObservabilitySettings {
    pub log: Option<LogSettings>,
    pub otlp: Option<OtlpSettings>,
    /// Other nodes, which the live page also shows.
    pub peers: Vec<PeerAddress>,
    pub ready: Vec<ReadyCheck>,
    /// Content of `/config`: all settings, as [`crate::config_document`] writes them.
    pub config: String,
}

/// Settings as JSON with all defaults: durations in nanoseconds, under names that end with `_ns`. It contains no
/// secrets: keys are in files, and only their paths are here.
pub fn config_document(settings: &impl Serialize) -> String {
    let Ok(value) = serde_json::to_value(settings) else { return "{}".to_owned() };
    let Value::Object(fields) = with_durations(value) else { return "{}".to_owned() };
    let schema = ("schema".to_owned(), "unladen.serve-config/1".into());
    let document = Value::Object(std::iter::once(schema).chain(fields).collect());
    format!("{document:#}\n")
}

/// Replaces serde's two-field durations by one number.
fn with_durations(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let named = |(name, value): (String, Value)| match nanoseconds(&value) {
                Some(ns) => (format!("{name}_ns"), ns.into()),
                None => (name, with_durations(value)),
            };
            Value::Object(fields.into_iter().map(named).collect::<Map<_, _>>())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(with_durations).collect()),
        other => other,
    }
}

fn nanoseconds(value: &Value) -> Option<u64> {
    let fields = value.as_object().filter(|fields| fields.len() == 2)?;
    let (secs, nanos) = (fields.get("secs")?.as_u64()?, fields.get("nanos")?.as_u64()?);
    Some(secs.saturating_mul(1_000_000_000).saturating_add(nanos))
}

/// Optional conditions of readiness. In any case the process must carry requests and not be stopping.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum ReadyCheck {
    Certificates,
    Upstreams,
    Fleet,
}

impl ReadyCheck {
    /// All checks with their names, in the order of the enum.
    pub const WORDS: [(&'static str, Self); 3] =
        [("certificates", Self::Certificates), ("upstreams", Self::Upstreams), ("fleet", Self::Fleet)];
}
