//! [`weigh`]: the result of `unladen weigh`.

use std::time::Duration;

use unladen_document as kept;
use unladen_document::WeighDocument;
use unladen_lockin::Estimate;
use unladen_quantity::Kind;
use unladen_trace::{PathSeen, PathUnknown, PeerSeen, Unseen};

use super::figure::{count, ended, estimate, latency, span, warnings};
use super::inside::inside;
use super::name::known_name as name;
use super::titles::Titles;
use crate::weigh::{Client, HostCpu, Path, Rest, Setup, UrlCapacity, Weigh, WeighedUrl, WeightRow};

const MACHINE: &str = "machine";

pub(super) fn weigh(document: &WeighDocument, titles: Titles) -> Weigh {
    Weigh {
        setup: Setup {
            seed: document.about.seed.unwrap_or_default(),
            elapsed: Duration::from_nanos(document.elapsed_ns),
            phase: Duration::from_nanos(document.phase_ns),
            settle: Duration::from_nanos(document.settle_ns),
            concurrency: count(document.concurrency),
            rate: document.rate,
            keep_alive: document.keep_alive,
            keep_cookies: document.keep_cookies,
            processors: count(document.processors),
            background_cores: document.background_cores,
            probe_share: document.probe_share_of_core,
        },
        ended: ended(&document.ended),
        urls: document.urls.iter().map(|url| page(document, url, titles)).collect(),
        left_behind: document.left_behind.clone(),
        hosts: document.hosts.clone(),
        machine: document.about.machine.clone(),
        warnings: warnings(&document.warnings),
    }
}

fn page(document: &WeighDocument, url: &kept::WeighedUrl, titles: Titles) -> WeighedUrl {
    let rows = document.weights.iter().filter(|weight| weight.url == url.url);
    let capacity = url.requests_per_core_second.zip(url.requests_per_machine_second);
    WeighedUrl {
        name: url.name.clone(),
        url: url.url.clone(),
        http: url.http.clone(),
        requests: url.requests,
        blocks: count(url.blocks),
        response_bytes: url.response_bytes,
        answer: url.answer.clone(),
        client: Client {
            latency: latency(&url.latency_ns, &url.latency_intervals_ns),
            connections: url.connections,
            changed: url.changed_bodies,
            cpu: url.client_cpu_ns.map(|cpu| estimate(cpu, url.blocks)),
        },
        weights: rows.map(|weight| row(weight, titles)).collect(),
        total_cpu: url.total_cpu_ns.map(|total| estimate(total, url.total_blocks.unwrap_or(url.blocks))),
        by_host: url.by_host.iter().map(|host| host_cpu(host, url.blocks)).collect(),
        rest: url.not_following.as_ref().map(|rest| Rest {
            groups: count(rest.groups),
            cpu: estimate(rest.cpu_ns, url.blocks),
            noise_floor: rest.noise_floor,
        }),
        capacity: capacity.map(|(core, machine)| UrlCapacity { per_core: span(core), machine: span(machine) }),
        path: path(&url.path),
        trace: Vec::new(),
        inside: inside(document, &url.url),
    }
}

fn host_cpu(of: &kept::HostCpu, blocks: u64) -> HostCpu {
    let capacity = of.requests_per_machine_second.map(span);
    HostCpu { host: of.host.clone(), cpu: estimate(of.cpu_ns, of.blocks.unwrap_or(blocks)), capacity }
}

/// Whether the weight is for a whole machine, this one or a host.
fn is_machine(weight: &kept::Weight) -> bool {
    match &weight.host {
        None => weight.group == MACHINE,
        Some(host) => weight.group.strip_prefix(host.as_str()).and_then(|rest| rest.strip_prefix('/')) == Some(MACHINE),
    }
}

fn row(weight: &kept::Weight, titles: Titles) -> WeightRow {
    let title = super::titles::title(&weight.title, &weight.counter, titles);
    WeightRow {
        group: weight.group.clone(),
        host: weight.host.clone(),
        is_machine: is_machine(weight),
        counter: name(&weight.counter),
        title,
        unit: name(&weight.unit),
        kind: Kind::of_unit(&weight.unit),
        approximate: weight.approximate,
        per_request: Estimate {
            value: weight.per_request,
            low: weight.low,
            high: weight.high,
            mean: weight.mean,
            blocks: count(weight.blocks),
        },
        noise_floor: weight.noise_floor,
        adjusted_p: weight.adjusted_p,
        follows: weight.follows,
        on_path: weight.on_path,
        displaced: weight.displaced,
        invalid: weight.invalid,
        share: weight.share.map(|share| estimate(share, weight.blocks)),
        user: weight.user_share.map(|share| estimate(share, weight.blocks)),
    }
}

fn path(path: &kept::Path) -> Path {
    let peer = |peer: &kept::Peer| PeerSeen {
        peer: peer.peer.clone(),
        // Parsed from its name in `unladen-trace`; the default if this version does not know the name.
        protocol: serde_json::from_value(peer.protocol.clone().into()).unwrap_or_default(),
        why: Unseen::named(&peer.why).unwrap_or_default(),
    };
    let unknown = path.unknown.as_ref();
    Path {
        groups: path.groups.clone(),
        elsewhere: path.elsewhere.clone(),
        seen: PathSeen {
            beyond: path.not_looked_at.iter().map(peer).collect(),
            unknown: unknown.map(|unknown| PathUnknown { why: unknown.why.clone(), takes: unknown.takes.clone() }),
        },
    }
}
