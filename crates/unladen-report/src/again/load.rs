//! [`load`]: the result of `unladen load`.

use std::time::Duration;

use unladen_document as kept;
use unladen_document::LoadDocument;

use super::figure::{count, ended, latency, statuses, time, warnings};
use super::name::known_name as name;
use crate::load::{ByConnection, ByRequest, ErrorCount, Load, LoadSetup, Pacing, StepResult, Unfit};
use crate::send_lag::SendLag;

pub(super) fn load(document: &LoadDocument) -> Load {
    let errors = document.errors.iter().map(|(kind, count)| {
        let first = document.error_examples.iter().find(|(of, _)| *of == kind).map(|(_, text)| text.clone());
        ErrorCount { kind: name(kind), count: *count, first: first.unwrap_or_default() }
    });
    Load {
        setup: LoadSetup {
            target: document.target.clone(),
            rate: document.rate,
            arrivals: document.arrivals.as_deref().map(name),
            concurrency: count(document.concurrency),
            keep_alive: document.keep_alive,
            keep_cookies: document.keep_cookies,
            http: document.http.clone(),
            seed: document.about.seed.unwrap_or_default(),
        },
        answers: document.answers.clone(),
        access_log: document.access_log.clone(),
        ended: ended(&document.ended),
        elapsed: Duration::from_nanos(document.elapsed_ns),
        planned: document.planned,
        requests: document.requests,
        throughput: document.throughput,
        latency: latency(&document.latency_ns, &document.latency_intervals_ns),
        cut_short: document.cut_short,
        within: document.within.iter().filter_map(|(bound, share)| Some((time(bound)?, *share))).collect(),
        new_connections: document.new_connections.as_ref().and_then(connection),
        reused_connections: document.reused_connections.as_ref().and_then(connection),
        send_lag: document.send_lag_ns.as_ref().map(SendLag::of),
        pacing: document.pacing.as_ref().map(|pacing| Pacing { cpu: Duration::from_nanos(pacing.cpu_ns) }),
        errors: errors.collect(),
        statuses: statuses(&document.statuses),
        unsent: document.unsent,
        abandoned: document.abandoned,
        missing: document.missing,
        changed: document.changed,
        connections: document.connections,
        bytes_sent: document.bytes_sent,
        bytes_received: document.bytes_received,
        body_bytes: document.body_bytes,
        client_cpu: Duration::from_nanos(document.client_cpu_ns),
        unfit: document.unfit.iter().cloned().map(Unfit::Told).collect(),
        agents: document.agents.clone(),
        by_request: document.by_request.iter().map(request).collect(),
        steps: document.steps.iter().map(step).collect(),
        capacity: document.capacity.clone(),
        timeline: document.timeline.clone(),
        distribution: document.distribution.clone(),
        gates: document.gates.clone(),
        machine: document.about.machine.clone(),
        warnings: warnings(&document.warnings),
    }
}

fn connection(by: &kept::ByConnection) -> Option<ByConnection> {
    Some(ByConnection { requests: by.requests, latency: latency(&by.latency_ns, &by.latency_intervals_ns)? })
}

fn request(by: &kept::ByRequest) -> ByRequest {
    ByRequest {
        name: by.name.clone(),
        requests: by.requests,
        errors: by.errors,
        latency: latency(&by.latency_ns, &by.latency_intervals_ns),
    }
}

fn step(step: &kept::Step) -> StepResult {
    StepResult {
        from: step.from,
        to: step.to,
        time: Duration::from_nanos(step.time_ns),
        requests: step.requests,
        errors: step.errors,
        latency: latency(&step.latency_ns, &step.latency_intervals_ns),
    }
}
