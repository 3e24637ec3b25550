//! The principal type is [`Page`]: what was asked for, and what it weighs undisturbed.

use serde::{Deserialize, Serialize};

use crate::evidence::carried::Carried;
use crate::interval::Interval;

/// The page, measured undisturbed: before anything was traced.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Page {
    pub url: String,
    /// The request's method.
    pub method: String,
    /// What the request carries besides.
    #[serde(skip_serializing_if = "Carried::is_empty")]
    pub carried: Carried,
    /// Requests counted in the traced phases.
    pub requests: u64,
    /// Mean latency, ns; of first requests in [`State::Fresh`].
    pub latency: Option<Interval>,
    /// Mean latency of the traced requests, ns: how much slower a request is while it is counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traced_latency: Option<Interval>,
    /// CPU of all groups that follow, ns a request.
    pub cpu: Option<Interval>,
    /// Latency of the very first request that was sent, ns: of whatever state the page was left in.
    pub first_ns: Option<u64>,
    /// The longest latency of all later ones that were measured undisturbed, ns.
    pub longest_ns: Option<u64>,
    /// In [`State::Fresh`]: mean latency of later requests, ns.
    pub warm_latency: Option<Interval>,
    /// In [`State::Fresh`]: the command that made the processes new.
    pub restart: Option<String>,
}

/// Whose requests were looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Processes that have answered before.
    #[default]
    Warm,
    /// Processes that have just been started: their first request.
    Fresh,
}
