//! Settings: the principal types are [`LogSettings`] and [`OtlpSettings`].

use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

use crate::log_fields::{Addresses, LogFields};
use crate::peers::PeerAddress;
use crate::ready_check::ReadyCheck;

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
