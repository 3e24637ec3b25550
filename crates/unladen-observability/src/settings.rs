//! What is to be seen: the principal types are [`LogSettings`] and [`OtlpSettings`].

use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

use crate::log_fields::{Addresses, LogFields};
use crate::peers::PeerAddress;
use crate::ready_check::ReadyCheck;

/// The access log: JSON, a request a line.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LogSettings {
    /// None: standard error. A file is opened anew at each reload, for logrotate.
    pub file: Option<PathBuf>,
    /// The share of requests that is written; those with a status of 500 or more, and those that failed, always are.
    pub sample: f64,
    /// What a line has.
    pub fields: LogFields,
    /// What of clients' addresses it has.
    pub addresses: Addresses,
}

/// A collector of OpenTelemetry, by OTLP over HTTP.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OtlpSettings {
    /// `http://127.0.0.1:4318`: `/v1/traces` and `/v1/metrics` are added.
    pub endpoint: String,
    /// The share of requests without a decision of their caller (`traceparent`) that is traced.
    pub sample: f64,
    /// How often metrics are sent.
    pub every: Duration,
    /// `service.name`.
    pub service: String,
    /// `deployment.environment.name`, such as `production`.
    pub environment: Option<String>,
    /// `cloud.availability_zone`: the zone of this machine.
    #[serde(skip)]
    pub zone: Option<String>,
}

/// What of the settings is to be seen, and where.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObservabilitySettings {
    /// The access log.
    pub log: Option<LogSettings>,
    /// Traces and metrics for a collector.
    pub otlp: Option<OtlpSettings>,
    /// Other nodes, which the live page shows too.
    pub peers: Vec<PeerAddress>,
    /// What `/readyz` wants to be so.
    pub ready: Vec<ReadyCheck>,
    /// What `/config` shows: all settings, as [`crate::config_document`] writes them.
    pub config: String,
}
