//! [`result`]: the document of a bill, from what was counted and what was measured.

use unladen_document::{
    About, BillDocument, BilledClient, BilledGroup, BilledKind, BilledLog, Frees, LinesPassedOver, Span, Together,
    nanos,
};
use unladen_lockin::{Bill, Cell, Estimate, FALSE_DISCOVERY_RATE, TooFew, benjamini_hochberg};
use unladen_probe::GroupId;
use unladen_quantity::percent;
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
/// What noise hides is told from this part of the total on, and so many groups.
const HIDDEN: f64 = 0.05;
const NAMED: usize = 3;

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
    let tested = tested(measured, &factors).map_err(too_few)?;
    let following: Vec<GroupId> = tested.iter().filter(|one| one.follows).map(|one| one.group).collect();
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
    let taken = taken_warning(&measured.times, Some(&measured.spoiled)).map(|warning| warning.to_string());
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
        groups: groups(&tested, &total),
        kinds: rows,
        clients,
        not_weighed: plan.not_weighed.clone(),
        together: together(&cells, measured, &factors),
        frees,
        warnings: hidden(&tested, &total).into_iter().chain(taken).collect(),
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

/// A group's CPU for all of the traffic.
struct Tested<'a> {
    group: GroupId,
    name: &'a str,
    cpu: Estimate,
    /// Beyond chance and its noise floor, all groups considered together.
    follows: bool,
}

fn tested<'a>(measured: &'a Measured, factors: &[f64]) -> Result<Vec<Tested<'a>>, TooFew> {
    let (mut tested, mut p_values) = (Vec::new(), Vec::new());
    for (group, name) in &measured.groups {
        let cells = measured.cells(&[*group]);
        let bill = Bill::new(factors.len(), &cells);
        let cpu = bill.sum(factors)?;
        let floor = Bill::of_noise(factors.len(), &cells).sum(factors)?.half_width();
        p_values.push(bill.p_value(factors)?);
        tested.push(Tested { group: *group, name, cpu, follows: cpu.low > 0.0 && cpu.value > floor });
    }
    for (one, p) in tested.iter_mut().zip(benjamini_hochberg(&p_values)) {
        one.follows &= p <= FALSE_DISCOVERY_RATE;
    }
    Ok(tested)
}

/// What may be missing from the bill: noise hides it.
fn hidden(tested: &[Tested<'_>], total: &Estimate) -> Option<String> {
    let is_large = |one: &&Tested<'_>| !one.follows && one.cpu.value > 0.0 && one.cpu.high > HIDDEN * total.value;
    let mut hidden: Vec<&Tested<'_>> = tested.iter().filter(is_large).collect();
    hidden.sort_by(|a, b| b.cpu.value.total_cmp(&a.cpu.value));
    let name = |one: &&Tested<'_>| format!("{} (up to {} %)", one.name, percent(one.cpu.high / total.value));
    let names: Vec<String> = hidden.iter().take(NAMED).map(name).collect();
    let text = "Not told from noise, and so not in the bill, as parts of it";
    let advice = "Measure longer (-t), or with less beside it";
    (!names.is_empty()).then(|| format!("{text}: {}. {advice}.", names.join(", ")))
}

/// Each following group's part of the total.
fn groups(tested: &[Tested<'_>], total: &Estimate) -> Vec<BilledGroup> {
    let following = tested.iter().filter(|one| one.follows);
    let mut rows: Vec<BilledGroup> = following
        .map(|one| BilledGroup { group: one.name.to_owned(), share: span(one.cpu.scaled(1.0 / total.value)) })
        .collect();
    rows.sort_by(|a, b| b.share.value.total_cmp(&a.share.value));
    rows
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
