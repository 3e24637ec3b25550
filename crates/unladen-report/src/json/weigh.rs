//! `unladen.weigh/1`: [`document`].

use serde::Serialize;
use unladen_document as document;
use unladen_document::{
    About, Count, Finding, Gate, Latencies, NextStep, NotFollowing, NotJudged, NotLookedFor, Peer, Statement, Traced,
    UnknownPath, WeighDocument, Weight,
};

use super::figure::{estimate, intervals, latency, nanos, span, word};
use super::inside;
use crate::inside::Inside;
use crate::weigh::{HostCpu, Path, Weigh, WeighedUrl, WeightRow};

/// Document version. It changes if a field is removed or changes its meaning, not if one is added.
const SCHEMA: &str = "unladen.weigh/1";

pub(super) fn document(result: &Weigh, about: &About) -> WeighDocument {
    let setup = &result.setup;
    let pages = || result.urls.iter().filter_map(|url| url.inside.as_ref());
    WeighDocument {
        schema: SCHEMA.to_owned(),
        about: super::about::about(about, Some(setup.seed), result.machine.as_ref()),
        target: result.urls.iter().map(|url| url.url.as_str()).collect::<Vec<_>>().join(" "),
        requests: result.urls.iter().map(|url| url.requests).sum(),
        elapsed_ns: nanos(setup.elapsed),
        ended: result.ended.as_str().to_owned(),
        phase_ns: nanos(setup.phase),
        settle_ns: nanos(setup.settle),
        concurrency: setup.concurrency as u64,
        rate: setup.rate,
        keep_alive: setup.keep_alive,
        keep_cookies: setup.keep_cookies,
        processors: setup.processors as u64,
        background_cores: setup.background_cores,
        probe_share_of_core: setup.probe_share,
        weights: result.urls.iter().flat_map(|url| url.weights.iter().map(|row| weight(url, row))).collect(),
        // Latencies of different pages do not add up to anything: with several URLs see `urls`.
        latency_ns: match result.urls.as_slice() {
            [only] => latency(only.client.latency.as_ref()),
            _ => Latencies::new(),
        },
        urls: result.urls.iter().map(url).collect(),
        findings: pages().flat_map(inside::findings).collect(),
        counts: pages().flat_map(inside::counts).collect(),
        statements: pages().flat_map(inside::statements).collect(),
        next_steps: pages().filter_map(|page| page.next_step.clone()).collect(),
        not_looked_for: pages().flat_map(inside::not_looked).collect(),
        not_judged: pages().flat_map(inside::not_judged).collect(),
        lost_events: pages().map(|page| page.lost).sum(),
        traced: pages().flat_map(inside::traced).collect(),
        left_behind: result.left_behind.clone(),
        hosts: result.hosts.clone(),
        gates: pages().flat_map(|page| page.gates.iter().cloned()).collect(),
        warnings: result.warnings.iter().map(ToString::to_string).collect(),
    }
}

/// What `--from` makes of an earlier run's evidence: the same document, without what was not measured anew.
#[derive(Serialize)]
pub(super) struct FindingsDocument {
    schema: &'static str,
    #[serde(flatten)]
    about: About,
    target: String,
    requests: u64,
    weights: [(); 0],
    findings: Vec<Finding>,
    counts: Vec<Count>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    statements: Vec<Statement>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    next_steps: Vec<NextStep>,
    not_looked_for: Vec<NotLookedFor>,
    not_judged: Vec<NotJudged>,
    lost_events: u64,
    traced: Vec<Traced>,
    gates: Vec<Gate>,
}

impl FindingsDocument {
    pub(super) fn of(pages: &[Inside], about: &About) -> Self {
        Self {
            schema: SCHEMA,
            about: about.clone(),
            target: pages.iter().map(|page| page.url.as_str()).collect::<Vec<_>>().join(" "),
            requests: pages.iter().map(|page| page.requests).sum(),
            weights: [],
            findings: pages.iter().flat_map(inside::findings).collect(),
            counts: pages.iter().flat_map(inside::counts).collect(),
            statements: pages.iter().flat_map(inside::statements).collect(),
            next_steps: pages.iter().filter_map(|page| page.next_step.clone()).collect(),
            not_looked_for: pages.iter().flat_map(inside::not_looked).collect(),
            not_judged: pages.iter().flat_map(inside::not_judged).collect(),
            lost_events: pages.iter().map(|page| page.lost).sum(),
            traced: pages.iter().flat_map(inside::traced).collect(),
            gates: pages.iter().flat_map(|page| page.gates.iter().cloned()).collect(),
        }
    }
}

fn url(url: &WeighedUrl) -> document::WeighedUrl {
    document::WeighedUrl {
        url: url.url.clone(),
        name: url.name.clone(),
        http: url.http.clone(),
        requests: url.requests,
        blocks: url.blocks as u64,
        response_bytes: url.response_bytes,
        answer: url.answer.clone(),
        changed_bodies: url.client.changed,
        connections: url.client.connections,
        latency_ns: latency(url.client.latency.as_ref()),
        latency_intervals_ns: intervals(url.client.latency.as_ref()),
        client_cpu_ns: url.client.cpu.map(estimate),
        total_cpu_ns: url.total_cpu.map(estimate),
        total_blocks: url.total_cpu.map(|total| total.blocks as u64).filter(|_| !url.by_host.is_empty()),
        by_host: url.by_host.iter().map(host_cpu).collect(),
        not_following: url.rest.map(|rest| NotFollowing {
            groups: rest.groups as u64,
            cpu_ns: estimate(rest.cpu),
            noise_floor: rest.noise_floor,
        }),
        path: path(&url.path),
        requests_per_core_second: url.capacity.map(|capacity| span(capacity.per_core)),
        requests_per_machine_second: url.capacity.map(|capacity| span(capacity.machine)),
    }
}

fn host_cpu(of: &HostCpu) -> document::HostCpu {
    document::HostCpu {
        host: of.host.clone(),
        cpu_ns: estimate(of.cpu),
        blocks: Some(of.cpu.blocks as u64),
        requests_per_machine_second: of.capacity.map(span),
    }
}

fn path(path: &Path) -> document::Path {
    let peers = path.seen.beyond.iter().map(|seen| Peer {
        peer: seen.peer.clone(),
        protocol: word(seen.protocol),
        why: seen.why.as_str().to_owned(),
    });
    let unknown = path.seen.unknown.as_ref();
    document::Path {
        groups: path.groups.clone(),
        elsewhere: path.elsewhere.clone(),
        not_looked_at: peers.collect(),
        unknown: unknown.map(|unknown| UnknownPath { why: unknown.why.clone(), takes: unknown.takes.clone() }),
    }
}

fn weight(url: &WeighedUrl, row: &WeightRow) -> Weight {
    Weight {
        url: url.url.clone(),
        group: row.group.clone(),
        host: row.host.clone(),
        counter: row.counter.to_owned(),
        unit: row.unit.to_owned(),
        title: row.title.to_owned(),
        displaced: row.displaced,
        per_request: row.per_request.value,
        low: row.per_request.low,
        high: row.per_request.high,
        noise_floor: row.noise_floor,
        follows: row.follows,
        on_path: row.on_path,
        mean: row.per_request.mean,
        blocks: row.per_request.blocks as u64,
        adjusted_p: row.adjusted_p,
        approximate: row.approximate,
        invalid: row.invalid,
        share: row.share.map(estimate),
        user_share: row.user.map(estimate),
    }
}
