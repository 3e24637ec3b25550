//! `unladen.load/1`.

use std::collections::BTreeMap;

use serde::Serialize;
use unladen_document::{About, Answer, LogLines, Machine};

use unladen_quantity::bucket_name;

use super::agent::{AgentJson, send_lag};
use super::figure::{IntervalJson, Ordered, intervals, latency, nanos};
use super::gate::{GateJson, of_load};
use crate::load::{ByConnection, ByRequest, FoundCapacity, Load, Slice, StepResult, Trial};

/// Document version. It changes if a field is removed or changes its meaning, not if one is added.
const SCHEMA: &str = "unladen.load/1";

type Latencies = BTreeMap<String, u64>;
type Intervals = BTreeMap<String, IntervalJson>;

#[derive(Serialize)]
pub(super) struct Document<'a> {
    schema: &'static str,
    #[serde(flatten)]
    about: &'a About,
    target: &'a str,
    rate: Option<f64>,
    arrivals: Option<&'static str>,
    concurrency: usize,
    keep_alive: bool,
    keep_cookies: bool,
    http: &'a str,
    seed: u64,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    answers: &'a [Answer],
    #[serde(skip_serializing_if = "Option::is_none")]
    access_log: Option<&'a LogLines>,
    ended: &'static str,
    elapsed_ns: u64,
    planned: u64,
    requests: u64,
    throughput: f64,
    latency_ns: Latencies,
    latency_intervals_ns: Intervals,
    within: Ordered<f64>,
    send_lag_ns: Option<BTreeMap<&'static str, u64>>,
    pacing: Option<PacingJson>,
    statuses: Ordered<u64>,
    errors: Ordered<u64>,
    error_examples: Ordered<String>,
    unsent: u64,
    abandoned: u64,
    missing: u64,
    cut_short: u64,
    changed: u64,
    connections: u64,
    new_connections: Option<ConnectionJson>,
    reused_connections: Option<ConnectionJson>,
    bytes_sent: u64,
    bytes_received: u64,
    body_bytes: u64,
    client_cpu_ns: u64,
    fit: bool,
    unfit: Vec<String>,
    agents: Vec<AgentJson<'a>>,
    steps: Vec<StepJson>,
    by_request: Vec<RequestJson<'a>>,
    capacity: Option<CapacityJson<'a>>,
    timeline: Vec<SliceJson>,
    distribution: &'a [(u64, f64)],
    gates: Vec<GateJson<'a>>,
    /// Written with the document's description of its run.
    #[serde(skip_serializing_if = "Option::is_none")]
    machine: Option<&'a Machine>,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct PacingJson {
    cpu_ns: u64,
}

#[derive(Serialize)]
struct ConnectionJson {
    requests: u64,
    latency_ns: Latencies,
    latency_intervals_ns: Intervals,
}

#[derive(Serialize)]
struct StepJson {
    from: f64,
    to: f64,
    time_ns: u64,
    requests: u64,
    errors: u64,
    latency_ns: Latencies,
    latency_intervals_ns: Intervals,
}

#[derive(Serialize)]
struct RequestJson<'a> {
    name: &'a str,
    requests: u64,
    errors: u64,
    latency_ns: Latencies,
    latency_intervals_ns: Intervals,
}

#[derive(Serialize)]
struct CapacityJson<'a> {
    limit: &'a str,
    highest: Option<f64>,
    lowest_broken: Option<f64>,
    trials: Vec<TrialJson<'a>>,
}

#[derive(Serialize)]
struct TrialJson<'a> {
    rate: f64,
    planned: u64,
    quantile_ns: Option<u64>,
    low: Option<u64>,
    high: Option<u64>,
    errors: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<&'a str>,
    held: Option<bool>,
    unfit: bool,
}

#[derive(Serialize)]
struct SliceJson {
    start_ns: u64,
    length_ns: u64,
    planned: u64,
    errors: u64,
    p50: u64,
    p99: u64,
    max: u64,
}

impl<'a> Document<'a> {
    pub(super) fn of(result: &'a Load, about: &'a About) -> Self {
        let setup = &result.setup;
        Self {
            schema: SCHEMA,
            about,
            target: &setup.target,
            rate: setup.rate,
            arrivals: setup.arrivals,
            concurrency: setup.concurrency,
            keep_alive: setup.keep_alive,
            keep_cookies: setup.keep_cookies,
            http: &setup.http,
            seed: setup.seed,
            answers: &result.answers,
            access_log: result.access_log.as_ref(),
            ended: result.ended.as_str(),
            elapsed_ns: nanos(result.elapsed),
            planned: result.planned,
            requests: result.requests,
            throughput: result.throughput,
            latency_ns: latency(result.latency.as_ref()),
            latency_intervals_ns: intervals(result.latency.as_ref()),
            within: Ordered(result.within.iter().map(|(time, share)| (bucket_name(*time), *share)).collect()),
            send_lag_ns: result.send_lag.map(send_lag),
            pacing: result.pacing.map(|pacing| PacingJson { cpu_ns: nanos(pacing.cpu) }),
            statuses: Ordered(result.statuses.iter().map(|(status, count)| (status.to_string(), *count)).collect()),
            errors: Ordered(result.errors.iter().map(|error| (error.kind.to_owned(), error.count)).collect()),
            error_examples: Ordered(
                result.errors.iter().map(|error| (error.kind.to_owned(), error.first.clone())).collect(),
            ),
            unsent: result.unsent,
            abandoned: result.abandoned,
            missing: result.missing,
            cut_short: result.cut_short,
            changed: result.changed,
            connections: result.connections,
            new_connections: result.new_connections.as_ref().map(connection),
            reused_connections: result.reused_connections.as_ref().map(connection),
            bytes_sent: result.bytes_sent,
            bytes_received: result.bytes_received,
            body_bytes: result.body_bytes,
            client_cpu_ns: nanos(result.client_cpu),
            fit: result.unfit.is_empty(),
            unfit: result.unfit.iter().map(ToString::to_string).collect(),
            agents: result.agents.iter().map(AgentJson::of).collect(),
            steps: result.steps.iter().map(step).collect(),
            by_request: result.by_request.iter().map(request).collect(),
            capacity: result.capacity.as_ref().map(capacity),
            timeline: result.timeline.iter().map(slice).collect(),
            distribution: &result.distribution,
            gates: result.gates.iter().map(of_load).collect(),
            machine: result.machine.as_ref(),
            warnings: result.warnings.iter().map(ToString::to_string).collect(),
        }
    }
}

fn connection(by: &ByConnection) -> ConnectionJson {
    ConnectionJson {
        requests: by.requests,
        latency_ns: latency(Some(&by.latency)),
        latency_intervals_ns: intervals(Some(&by.latency)),
    }
}

fn step(step: &StepResult) -> StepJson {
    StepJson {
        from: step.from,
        to: step.to,
        time_ns: nanos(step.time),
        requests: step.requests,
        errors: step.errors,
        latency_ns: latency(step.latency.as_ref()),
        latency_intervals_ns: intervals(step.latency.as_ref()),
    }
}

fn request(by: &ByRequest) -> RequestJson<'_> {
    RequestJson {
        name: &by.name,
        requests: by.requests,
        errors: by.errors,
        latency_ns: latency(by.latency.as_ref()),
        latency_intervals_ns: intervals(by.latency.as_ref()),
    }
}

fn capacity(found: &FoundCapacity) -> CapacityJson<'_> {
    CapacityJson {
        limit: &found.limit,
        highest: found.highest,
        lowest_broken: found.lowest_broken,
        trials: found.trials.iter().map(trial).collect(),
    }
}

fn trial(trial: &Trial) -> TrialJson<'_> {
    let interval = trial.quantile.and_then(|(_, interval)| interval);
    TrialJson {
        rate: trial.rate,
        planned: trial.planned,
        quantile_ns: trial.quantile.map(|(value, _)| value),
        low: interval.map(|(low, _)| low),
        high: interval.map(|(_, high)| high),
        errors: trial.errors,
        failure: trial.failure.as_deref(),
        held: trial.held,
        unfit: trial.unfit,
    }
}

fn slice(slice: &Slice) -> SliceJson {
    SliceJson {
        start_ns: nanos(slice.start),
        length_ns: nanos(slice.length),
        planned: slice.planned,
        errors: slice.errors,
        p50: slice.p50,
        p99: slice.p99,
        max: slice.max,
    }
}
