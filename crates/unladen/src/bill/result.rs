//! [`result`]: the document of a bill, from what was counted and what was measured.

use unladen_document::{
    About, BillDocument, BilledClient, BilledGroup, BilledKind, BilledLog, Frees, LinesPassedOver, Span, Together,
    nanos,
};
use unladen_lockin::{Bill, Cell, Estimate, FALSE_DISCOVERY_RATE, TooFew, benjamini_hochberg};
use unladen_probe::GroupId;
use unladen_traffic::{ClientSort, Traffic};

use crate::bill::{Measured, Options, Plan};
use crate::exit::Failure;
use crate::machine::{machine, taken_warning};
use crate::runs::rfc3339;

/// Deviations of the mix from the sum of its kinds that are of no use to anybody.
const MARGIN: f64 = 0.1;
/// Crawlers and networks that are listed.
const CLIENTS: usize = 12;
/// Kinds that could be closed to crawlers.
const CLOSED: usize = 3;
/// What frees less is not worth a line.
const LEAST: f64 = 0.01;
/// URLs that are shown of a kind.
const URLS: usize = 3;

/// Fails if nothing on this machine follows the requests.
pub(crate) fn result(
    (traffic, files): (&Traffic, &[String]),
    plan: &Plan,
    options: &Options,
    measured: &Measured,
) -> Result<BillDocument, Failure> {
    let too_few = |too_few: TooFew| Failure::CannotMeasure(too_few.to_string());
    let kinds = plan.kinds.len();
    let factors: Vec<f64> = plan.kinds.iter().map(|kind| kind.requests as f64).collect();
    let following = following(measured, &factors).map_err(too_few)?;
    if following.is_empty() {
        return Err(Failure::CannotMeasure(
            "no process of this machine was seen to follow the requests: the site runs elsewhere, or a longer --time helps"
                .into(),
        ));
    }
    let cells = measured.cells(&following);
    let bill = Bill::new(kinds, &cells);
    let noise = Bill::of_noise(kinds, &cells);
    let total = bill.sum(&factors).map_err(too_few)?;
    let share = |part: &[f64]| bill.share(part, &factors).map(span).map_err(too_few);
    let only = |kind: usize| {
        let mut part = vec![0.0; kinds];
        part[kind] = factors[kind];
        part
    };
    let mut rows = Vec::with_capacity(kinds);
    let mut added = 0.0;
    for (at, planned) in plan.kinds.iter().enumerate() {
        let kind = &traffic.kinds[planned.kind];
        let cpu = bill.of_kind(at).map_err(too_few)?;
        added += cpu.value * measured.sent[at] as f64;
        rows.push(BilledKind {
            kind: planned.name.clone(),
            requests: planned.requests,
            request_share: planned.requests as f64 / traffic.entries.max(1) as f64,
            cpu_ns: span(cpu),
            noise_floor_ns: noise.of_kind(at).map_err(too_few)?.half_width(),
            cpu_share: share(&only(at))?,
            cells: bill.cells_of(at) as u64,
            sent: measured.sent[at],
            failed: measured.failed[at],
            urls: kind.examples().take(URLS).map(str::to_owned).collect(),
            carries: None,
        });
    }
    let of_clients = |wanted: &dyn Fn(usize) -> bool| -> Vec<f64> {
        let of_kind = |planned: &crate::bill::Planned| {
            let kind = &traffic.kinds[planned.kind];
            let of: u64 = kind.clients.iter().enumerate().filter(|(at, _)| wanted(*at)).map(|(_, count)| count).sum();
            // Methods are not counted by client.
            of as f64 * planned.requests as f64 / kind.requests.max(1) as f64
        };
        plan.kinds.iter().map(of_kind).collect()
    };
    let mut clients = Vec::new();
    let mut add = |client: String, sort: &str, requests: u64, part: Vec<f64>| -> Result<(), Failure> {
        if requests > 0 {
            let cpu_share = share(&part)?;
            let request_share = requests as f64 / traffic.entries.max(1) as f64;
            clients.push(BilledClient { client, sort: sort.to_owned(), requests, request_share, cpu_share });
        }
        Ok(())
    };
    let is_crawler = |at: usize| matches!(traffic.clients[at].sort, ClientSort::Crawler | ClientSort::OtherCrawlers);
    let sum = |wanted: &dyn Fn(usize) -> bool| -> u64 {
        traffic.clients.iter().enumerate().filter(|(at, _)| wanted(*at)).map(|(_, client)| client.requests).sum()
    };
    add("crawlers that say so".into(), "crawlers", sum(&is_crawler), of_clients(&is_crawler))?;
    for (at, client) in traffic.clients.iter().enumerate().take(CLIENTS) {
        let sort = match client.sort {
            ClientSort::Crawler => "crawler",
            ClientSort::OtherCrawlers => continue,
            ClientSort::Network => "network",
            ClientSort::Everybody => continue,
        };
        add(client.name.clone(), sort, client.requests, of_clients(&|other| other == at))?;
    }
    let is_everybody = |at: usize| traffic.clients[at].sort == ClientSort::Everybody;
    add("everybody else".into(), "everybody else", sum(&is_everybody), of_clients(&is_everybody))?;
    let signed_in: Vec<f64> = plan.kinds.iter().map(|kind| traffic.kinds[kind.kind].signed_in as f64).collect();
    let signed: u64 = traffic.kinds.iter().map(|kind| kind.signed_in).sum();
    add("signed in".into(), "signed in", signed, signed_in)?;

    let crawled = of_clients(&is_crawler);
    let mut frees = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let mut part = vec![0.0; kinds];
        part[at] = crawled[at];
        let cpu_share = share(&part)?;
        if cpu_share.low >= LEAST {
            frees.push(Frees { what: format!("no {} for crawlers", row.kind), cpu_share, is_bound: false });
        }
    }
    frees.sort_by(|a, b| b.cpu_share.value.total_cmp(&a.cpu_share.value));
    frees.truncate(CLOSED);
    // In the order of what they cost.
    rows.sort_by(|a, b| b.cpu_share.value.total_cmp(&a.cpu_share.value));

    // A request of the mix costs what the mean request of the log does.
    let mixed = total.value / factors.iter().sum::<f64>() * measured.sent[measured.mixed] as f64;
    let load = (added + mixed) / measured.elapsed.as_nanos().max(1) as f64;
    let seconds = traffic.from.zip(traffic.to).map(|(from, to)| u64::try_from(to - from).unwrap_or(0));
    let processors = measured.concurrency as u64;
    let machine_share = seconds.filter(|seconds| *seconds > 0).map(|seconds| {
        let whole = seconds as f64 * 1e9 * processors as f64;
        span(total.scaled(1.0 / whole))
    });
    let groups = groups(measured, &following, &factors, &total).map_err(too_few)?;
    let warnings = taken_warning(&measured.times, Some(&measured.spoiled)).map(|warning| warning.to_string());
    Ok(BillDocument {
        schema: BillDocument::SCHEMA.to_owned(),
        about: About {
            seed: Some(options.seed),
            machine: Some(machine(&measured.times, Some(&measured.spoiled))),
            ..About::default()
        },
        log: log(traffic, files, seconds),
        requests: measured.sent.iter().sum(),
        failed: measured.failed.iter().sum(),
        elapsed_ns: nanos(measured.elapsed),
        ended: measured.ended.into_str().to_owned(),
        settle_ns: nanos(measured.settle),
        processors,
        load_bound_cores: options.load,
        load_cores: load,
        cpu_ns: Some(span(total)),
        noise_floor_ns: noise.sum(&factors).map_err(too_few)?.half_width(),
        machine_share,
        groups,
        kinds: rows,
        clients,
        not_weighed: plan.not_weighed.clone(),
        together: together(&cells, measured, &factors),
        frees,
        warnings: warnings.into_iter().collect(),
        ..BillDocument::default()
    })
}

fn log(traffic: &Traffic, files: &[String], seconds: Option<u64>) -> BilledLog {
    let time = |seconds: Option<i64>| seconds.map(|seconds| rfc3339(seconds.saturating_mul(1_000_000_000)));
    let passed_over = traffic.passed_over.iter().map(|(reason, lines)| {
        let reason_name = serde_json::to_value(reason).ok().and_then(|name| Some(name.as_str()?.to_owned()));
        LinesPassedOver { reason: reason_name.unwrap_or_default(), lines: *lines, about: reason.about().to_owned() }
    });
    BilledLog {
        files: files.to_vec(),
        lines: traffic.lines,
        entries: traffic.entries,
        passed_over: passed_over.collect(),
        from: time(traffic.from),
        to: time(traffic.to),
        seconds,
        networks: traffic.networks,
    }
}

/// Groups whose CPU grows with the site's traffic beyond chance and their noise floors, all considered together.
fn following(measured: &Measured, factors: &[f64]) -> Result<Vec<GroupId>, TooFew> {
    let mut tested = Vec::new();
    for (group, _) in &measured.groups {
        let cells = measured.cells(&[*group]);
        let bill = Bill::new(factors.len(), &cells);
        let sum = bill.sum(factors)?;
        let floor = Bill::of_noise(factors.len(), &cells).sum(factors)?.half_width();
        tested.push((*group, bill.p_value(factors)?, sum.low > 0.0 && sum.value > floor));
    }
    let adjusted = benjamini_hochberg(&tested.iter().map(|(_, p, _)| *p).collect::<Vec<_>>());
    let follows = tested.iter().zip(adjusted).filter(|((_, _, is_above), p)| *is_above && *p <= FALSE_DISCOVERY_RATE);
    Ok(follows.map(|((group, ..), _)| *group).collect())
}

/// Each following group's part of the total: the parts of one run add up.
fn groups(
    measured: &Measured,
    following: &[GroupId],
    factors: &[f64],
    total: &Estimate,
) -> Result<Vec<BilledGroup>, TooFew> {
    let mut rows = Vec::new();
    for (group, name) in measured.groups.iter().filter(|(group, _)| following.contains(group)) {
        let own = Bill::new(factors.len(), &measured.cells(&[*group])).sum(factors)?;
        rows.push(BilledGroup { group: name.clone(), share: span(own.scaled(1.0 / total.value)) });
    }
    rows.sort_by(|a, b| b.share.value.total_cmp(&a.share.value));
    Ok(rows)
}

/// `None` if the mix was not sent often enough.
fn together(cells: &[Cell], measured: &Measured, factors: &[f64]) -> Option<Together> {
    let bill = Bill::new(factors.len() + 1, cells);
    let requests: f64 = factors.iter().sum();
    let apart: Vec<f64> = factors.iter().map(|factor| factor / requests).chain([0.0]).collect();
    let mut at_once = vec![0.0; factors.len() + 1];
    at_once[measured.mixed] = 1.0;
    let ratio = bill.share(&at_once, &apart).ok()?;
    let verdict = if ratio.low > 1.0 + MARGIN || ratio.high < 1.0 - MARGIN {
        Together::DOES_NOT_ADD_UP
    } else if ratio.low >= 1.0 - MARGIN && ratio.high <= 1.0 + MARGIN {
        Together::ADDS_UP
    } else {
        Together::UNCLEAR
    };
    Some(Together { ratio: span(ratio), concurrency: measured.concurrency as u64, verdict: verdict.to_owned() })
}

fn span(estimate: Estimate) -> Span {
    Span { value: estimate.value, low: estimate.low, high: estimate.high }
}
