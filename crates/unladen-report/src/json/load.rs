//! `unladen.load/1`: [`document`].

use unladen_document as document;
use unladen_document::{About, LoadDocument, Ordered, Pacing, Step};
use unladen_quantity::bucket_name;

use super::figure::{intervals, latency, nanos};
use crate::load::{ByConnection, ByRequest, Load, StepResult};
use crate::send_lag::SendLag;

/// Document version. It changes if a field is removed or changes its meaning, not if one is added.
const SCHEMA: &str = "unladen.load/1";

pub(super) fn document(result: &Load, about: &About) -> LoadDocument {
    let setup = &result.setup;
    let errors = || result.errors.iter().map(|error| (error.kind.to_owned(), error));
    LoadDocument {
        schema: SCHEMA.to_owned(),
        about: super::about::about(about, Some(setup.seed), result.machine.as_ref()),
        target: setup.target.clone(),
        rate: setup.rate,
        arrivals: setup.arrivals.map(str::to_owned),
        concurrency: setup.concurrency as u64,
        keep_alive: setup.keep_alive,
        keep_cookies: setup.keep_cookies,
        http: setup.http.clone(),
        answers: result.answers.clone(),
        access_log: result.access_log.clone(),
        ended: result.ended.as_str().to_owned(),
        elapsed_ns: nanos(result.elapsed),
        planned: result.planned,
        requests: result.requests,
        throughput: result.throughput,
        latency_ns: latency(result.latency.as_ref()),
        latency_intervals_ns: intervals(result.latency.as_ref()),
        within: Ordered(result.within.iter().map(|(time, share)| (bucket_name(*time), *share)).collect()),
        send_lag_ns: result.send_lag.map(SendLag::named),
        pacing: result.pacing.map(|pacing| Pacing { cpu_ns: nanos(pacing.cpu) }),
        statuses: Ordered(result.statuses.iter().map(|(status, count)| (status.to_string(), *count)).collect()),
        errors: Ordered(errors().map(|(kind, error)| (kind, error.count)).collect()),
        error_examples: Ordered(errors().map(|(kind, error)| (kind, error.first.clone())).collect()),
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
        agents: result.agents.clone(),
        steps: result.steps.iter().map(step).collect(),
        by_request: result.by_request.iter().map(request).collect(),
        capacity: result.capacity.clone(),
        timeline: result.timeline.clone(),
        distribution: result.distribution.clone(),
        gates: result.gates.clone(),
        warnings: result.warnings.iter().map(ToString::to_string).collect(),
    }
}

fn connection(by: &ByConnection) -> document::ByConnection {
    document::ByConnection {
        requests: by.requests,
        latency_ns: latency(Some(&by.latency)),
        latency_intervals_ns: intervals(Some(&by.latency)),
    }
}

fn step(step: &StepResult) -> Step {
    Step {
        from: step.from,
        to: step.to,
        time_ns: nanos(step.time),
        requests: step.requests,
        errors: step.errors,
        latency_ns: latency(step.latency.as_ref()),
        latency_intervals_ns: intervals(step.latency.as_ref()),
    }
}

fn request(by: &ByRequest) -> document::ByRequest {
    document::ByRequest {
        name: by.name.clone(),
        requests: by.requests,
        errors: by.errors,
        latency_ns: latency(by.latency.as_ref()),
        latency_intervals_ns: intervals(by.latency.as_ref()),
    }
}
