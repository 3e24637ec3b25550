//! `unladen.weigh/1`.

use std::collections::BTreeMap;

use serde::Serialize;
use unladen_document::{About, Answer, FarStation, Machine, NextStep, Statement};
use unladen_trace::{PeerSeen, Protocol};

use super::figure::{EstimateJson, IntervalJson, SpanJson, intervals, latency, nanos};
use super::gate::{GateJson, of_page};
use super::inside::{self, CountJson, FindingJson, NotJudgedJson, NotLookedJson, TracedJson};
use crate::inside::Inside;
use crate::weigh::{HostCpu, LeftBehind, Path, Weigh, WeighedHost, WeighedUrl, WeightRow};

/// Document version. It changes if a field is removed or changes its meaning, not if one is added.
const SCHEMA: &str = "unladen.weigh/1";

#[derive(Serialize)]
pub(super) struct Document<'a> {
    schema: &'static str,
    #[serde(flatten)]
    about: &'a About,
    target: String,
    requests: u64,
    elapsed_ns: u64,
    ended: &'static str,
    seed: u64,
    phase_ns: u64,
    settle_ns: u64,
    concurrency: usize,
    rate: Option<f64>,
    keep_alive: bool,
    keep_cookies: bool,
    processors: usize,
    background_cores: f64,
    probe_share_of_core: f64,
    weights: Vec<WeightJson<'a>>,
    latency_ns: BTreeMap<String, u64>,
    urls: Vec<UrlJson<'a>>,
    findings: Vec<FindingJson<'a>>,
    counts: Vec<CountJson<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    statements: Vec<Statement>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    next_steps: Vec<&'a NextStep>,
    not_looked_for: Vec<NotLookedJson<'a>>,
    not_judged: Vec<NotJudgedJson<'a>>,
    lost_events: u64,
    traced: Vec<TracedJson<'a>>,
    left_behind: Option<Vec<LeftJson<'a>>>,
    hosts: Vec<HostJson<'a>>,
    gates: Vec<GateJson<'a>>,
    /// Written with the document's description of its run.
    #[serde(skip_serializing_if = "Option::is_none")]
    machine: Option<&'a Machine>,
    warnings: Vec<String>,
}

/// A host or an exporter whose counters were read at the same phase edges.
#[derive(Serialize)]
struct HostJson<'a> {
    name: &'a str,
    kind: &'static str,
    round_trip_ns: Option<u64>,
    processors: Option<usize>,
    series: usize,
    blocks: usize,
    agent_share_of_core: Option<f64>,
    gone: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    machine: Option<&'a Machine>,
}

/// CPU of one request on one machine; `host` is null for the machine that measured.
#[derive(Serialize)]
struct HostCpuJson<'a> {
    host: Option<&'a str>,
    cpu_ns: EstimateJson,
    blocks: usize,
    requests_per_machine_second: Option<SpanJson>,
}

#[derive(Serialize)]
struct LeftJson<'a> {
    folder: &'a str,
    files: u64,
    bytes: u64,
}

#[derive(Serialize)]
struct WeightJson<'a> {
    url: &'a str,
    group: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    host: Option<&'a str>,
    counter: &'static str,
    unit: &'static str,
    per_request: f64,
    low: f64,
    high: f64,
    noise_floor: f64,
    follows: bool,
    on_path: bool,
    mean: f64,
    blocks: usize,
    adjusted_p: f64,
    approximate: bool,
    invalid: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    share: Option<EstimateJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user_share: Option<EstimateJson>,
}

#[derive(Serialize)]
struct UrlJson<'a> {
    url: &'a str,
    name: &'a str,
    http: &'a str,
    requests: u64,
    blocks: usize,
    response_bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<&'a Answer>,
    changed_bodies: u64,
    connections: u64,
    latency_ns: BTreeMap<String, u64>,
    latency_intervals_ns: BTreeMap<String, IntervalJson>,
    client_cpu_ns: Option<EstimateJson>,
    total_cpu_ns: Option<EstimateJson>,
    /// Blocks behind the total: fewer than all if a host lacks some.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_blocks: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    by_host: Vec<HostCpuJson<'a>>,
    not_following: Option<RestJson>,
    path: PathJson<'a>,
    requests_per_core_second: Option<SpanJson>,
    requests_per_machine_second: Option<SpanJson>,
}

/// Groups that requests pass through; `unknown` says why others are not known.
#[derive(Serialize)]
struct PathJson<'a> {
    groups: &'a [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    elsewhere: &'a [FarStation],
    not_looked_at: Vec<PeerJson<'a>>,
    unknown: Option<UnknownJson<'a>>,
}

#[derive(Serialize)]
struct PeerJson<'a> {
    peer: &'a str,
    protocol: Protocol,
    why: &'a str,
}

#[derive(Serialize)]
struct UnknownJson<'a> {
    why: &'a str,
    takes: &'a str,
}

#[derive(Serialize)]
struct RestJson {
    groups: usize,
    cpu_ns: EstimateJson,
    noise_floor: f64,
}

impl<'a> Document<'a> {
    pub(super) fn of(result: &'a Weigh, about: &'a About) -> Self {
        let setup = &result.setup;
        Self {
            schema: SCHEMA,
            about,
            target: result.urls.iter().map(|url| url.url.as_str()).collect::<Vec<_>>().join(" "),
            requests: result.urls.iter().map(|url| url.requests).sum(),
            elapsed_ns: nanos(setup.elapsed),
            ended: result.ended.as_str(),
            seed: setup.seed,
            phase_ns: nanos(setup.phase),
            settle_ns: nanos(setup.settle),
            concurrency: setup.concurrency,
            rate: setup.rate,
            keep_alive: setup.keep_alive,
            keep_cookies: setup.keep_cookies,
            processors: setup.processors,
            background_cores: setup.background_cores,
            probe_share_of_core: setup.probe_share,
            weights: result.urls.iter().flat_map(|url| url.weights.iter().map(|row| weight(url, row))).collect(),
            // Latencies of different pages do not add up: with several URLs see `urls`.
            latency_ns: match result.urls.as_slice() {
                [only] => latency(only.client.latency.as_ref()),
                _ => BTreeMap::new(),
            },
            urls: result.urls.iter().map(UrlJson::of).collect(),
            findings: insides(result).flat_map(inside::findings).collect(),
            counts: insides(result).flat_map(inside::counts).collect(),
            statements: insides(result).flat_map(inside::statements).collect(),
            next_steps: insides(result).filter_map(|inside| inside.next_step.as_ref()).collect(),
            not_looked_for: insides(result).flat_map(inside::not_looked).collect(),
            not_judged: insides(result).flat_map(inside::not_judged).collect(),
            lost_events: insides(result).map(|inside| inside.lost).sum(),
            traced: insides(result).flat_map(inside::traced).collect(),
            left_behind: result.left_behind.as_ref().map(|all| all.iter().map(left).collect()),
            hosts: result.hosts.iter().map(host).collect(),
            gates: insides(result).flat_map(|inside| &inside.gates).map(of_page).collect(),
            machine: result.machine.as_ref(),
            warnings: result.warnings.iter().map(ToString::to_string).collect(),
        }
    }
}

fn insides(result: &Weigh) -> impl Iterator<Item = &Inside> {
    result.urls.iter().filter_map(|url| url.inside.as_ref())
}

/// What `--from` writes from an earlier run's evidence: the same document without new measurements.
#[derive(Serialize)]
pub(super) struct FindingsDocument<'a> {
    schema: &'static str,
    #[serde(flatten)]
    about: &'a About,
    target: String,
    requests: u64,
    weights: [(); 0],
    findings: Vec<FindingJson<'a>>,
    counts: Vec<CountJson<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    statements: Vec<Statement>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    next_steps: Vec<&'a NextStep>,
    not_looked_for: Vec<NotLookedJson<'a>>,
    not_judged: Vec<NotJudgedJson<'a>>,
    lost_events: u64,
    traced: Vec<TracedJson<'a>>,
    gates: Vec<GateJson<'a>>,
}

impl<'a> FindingsDocument<'a> {
    pub(super) fn of(pages: &'a [Inside], about: &'a About) -> Self {
        Self {
            schema: SCHEMA,
            about,
            target: pages.iter().map(|page| page.url.as_str()).collect::<Vec<_>>().join(" "),
            requests: pages.iter().map(|page| page.requests).sum(),
            weights: [],
            findings: pages.iter().flat_map(inside::findings).collect(),
            counts: pages.iter().flat_map(inside::counts).collect(),
            statements: pages.iter().flat_map(inside::statements).collect(),
            next_steps: pages.iter().filter_map(|page| page.next_step.as_ref()).collect(),
            not_looked_for: pages.iter().flat_map(inside::not_looked).collect(),
            not_judged: pages.iter().flat_map(inside::not_judged).collect(),
            lost_events: pages.iter().map(|page| page.lost).sum(),
            traced: pages.iter().flat_map(inside::traced).collect(),
            gates: pages.iter().flat_map(|page| &page.gates).map(of_page).collect(),
        }
    }
}

impl<'a> UrlJson<'a> {
    fn of(url: &'a WeighedUrl) -> Self {
        Self {
            url: &url.url,
            name: &url.name,
            http: &url.http,
            requests: url.requests,
            blocks: url.blocks,
            response_bytes: url.response_bytes,
            answer: url.answer.as_ref(),
            changed_bodies: url.client.changed,
            connections: url.client.connections,
            latency_ns: latency(url.client.latency.as_ref()),
            latency_intervals_ns: intervals(url.client.latency.as_ref()),
            client_cpu_ns: url.client.cpu.map(Into::into),
            total_cpu_ns: url.total_cpu.map(Into::into),
            total_blocks: url.total_cpu.map(|total| total.blocks).filter(|_| !url.by_host.is_empty()),
            by_host: url.by_host.iter().map(host_cpu).collect(),
            not_following: url.rest.map(|rest| RestJson {
                groups: rest.groups,
                cpu_ns: rest.cpu.into(),
                noise_floor: rest.noise_floor,
            }),
            path: path(&url.path),
            requests_per_core_second: url.capacity.map(|capacity| capacity.per_core.into()),
            requests_per_machine_second: url.capacity.map(|capacity| capacity.machine.into()),
        }
    }
}

fn host(host: &WeighedHost) -> HostJson<'_> {
    HostJson {
        name: &host.name,
        kind: if host.is_exporter { "exporter" } else { "host" },
        round_trip_ns: host.round_trip.map(nanos),
        processors: host.processors,
        series: host.series,
        blocks: host.blocks,
        agent_share_of_core: host.own_share,
        gone: host.gone.as_deref(),
        machine: host.machine.as_ref(),
    }
}

fn host_cpu(of: &HostCpu) -> HostCpuJson<'_> {
    let requests_per_machine_second = of.capacity.map(Into::into);
    HostCpuJson { host: of.host.as_deref(), cpu_ns: of.cpu.into(), blocks: of.cpu.blocks, requests_per_machine_second }
}

fn left(left: &LeftBehind) -> LeftJson<'_> {
    LeftJson { folder: &left.folder, files: left.files, bytes: left.bytes }
}

fn path(path: &Path) -> PathJson<'_> {
    fn peer(seen: &PeerSeen) -> PeerJson<'_> {
        PeerJson { peer: &seen.peer, protocol: seen.protocol, why: seen.why.as_str() }
    }
    PathJson {
        groups: &path.groups,
        elsewhere: &path.elsewhere,
        not_looked_at: path.seen.beyond.iter().map(peer).collect(),
        unknown: path.seen.unknown.as_ref().map(|unknown| UnknownJson { why: &unknown.why, takes: &unknown.takes }),
    }
}

fn weight<'a>(url: &'a WeighedUrl, row: &'a WeightRow) -> WeightJson<'a> {
    WeightJson {
        url: &url.url,
        group: &row.group,
        host: row.host.as_deref(),
        counter: row.counter,
        unit: row.unit,
        per_request: row.per_request.value,
        low: row.per_request.low,
        high: row.per_request.high,
        noise_floor: row.noise_floor,
        follows: row.follows,
        on_path: row.on_path,
        mean: row.per_request.mean,
        blocks: row.per_request.blocks,
        adjusted_p: row.adjusted_p,
        approximate: row.approximate,
        invalid: row.invalid,
        share: row.share.map(Into::into),
        user_share: row.user.map(Into::into),
    }
}
