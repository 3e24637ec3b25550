//! The principal type is [`Page`]: what was requested, and its undisturbed weight.

use serde::{Deserialize, Serialize};

use crate::evidence::carried::Carried;
use crate::interval::Interval;

/// The page, measured before anything was traced.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Page {
    pub url: String,
    pub method: String,
    #[serde(skip_serializing_if = "Carried::is_empty")]
    pub carried: Carried,
    /// Requests counted in the traced phases.
    pub requests: u64,
    /// Mean, ns; for first requests in [`State::Fresh`].
    pub latency: Option<Interval>,
    /// Mean of the traced requests, ns: shows how much tracing slows them down.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traced_latency: Option<Interval>,
    /// CPU of all groups that follow, ns a request.
    pub cpu: Option<Interval>,
    /// Latency of the very first request sent, ns, in whatever state the page was left.
    pub first_ns: Option<u64>,
    /// Longest latency of all later undisturbed ones, ns.
    pub longest_ns: Option<u64>,
    /// In [`State::Fresh`]: mean of later requests, ns.
    pub warm_latency: Option<Interval>,
    /// In [`State::Fresh`]: the command that restarted the processes.
    pub restart: Option<String>,
}

/// The state of the processes that answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// They have answered before.
    #[default]
    Warm,
    /// They have just been started: this is their first request.
    Fresh,
}
