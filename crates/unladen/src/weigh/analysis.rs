//! Makes a result from a recording: [`analyse`].

use std::collections::BTreeSet;

use unladen_document::{
    About, FarStation, HostCpu, Machine, NotFollowing, Span, WeighDocument, WeighedHost, WeighedUrl, nanos,
};
use unladen_lockin::{Block, Estimate, Weight, ratio};
use unladen_probe::GroupId;
use unladen_report::{Weigh, WeighedPage, path_of};

use crate::latency::{QUANTILES, latency};
use crate::machine::machine;
use crate::weigh::catalog::{GroupKey, SeriesKey, SourceId, group_here};
use crate::weigh::edge::SeriesKind;
use crate::weigh::judge::{Row, judge, untold_series};
use crate::weigh::measured::{Elsewhere, Measured};
use crate::weigh::recording::{BlockRecord, PhaseRecord};
use crate::weigh::trace::trace;
use crate::weigh::warnings::warnings;

pub(crate) fn analyse(measured: &Measured<'_>) -> Weigh {
    let mut by_url: Vec<Vec<Row<'_>>> = (0..measured.requests.len()).map(|url| rows(measured, url)).collect();
    let families = judge(&mut by_url);
    let pages: Vec<WeighedPage> = by_url.iter().enumerate().map(|(url, rows)| weighed(measured, url, rows)).collect();
    let elapsed = measured.recording.elapsed();
    let driver = &measured.options.driver;
    let mut run = WeighDocument {
        about: About { seed: Some(measured.options.seed), machine: Some(machine_of(measured)), ..About::default() },
        elapsed_ns: nanos(elapsed),
        ended: measured.ended.into_str().to_owned(),
        phase_ns: nanos(measured.plan.phase),
        settle_ns: nanos(measured.plan.settle),
        concurrency: driver.concurrency as u64,
        rate: driver.rate,
        keep_alive: driver.keep_alive,
        keep_cookies: driver.keep_cookies,
        processors: std::thread::available_parallelism().map_or(1, |processors| processors.get() as u64),
        background_cores: background_cores(measured),
        probe_share_of_core: measured.probe_cpu.as_secs_f64() / elapsed.as_secs_f64().max(1e-9),
        hosts: measured.elsewhere.iter().map(|elsewhere| host(measured, elsewhere)).collect(),
        ..WeighDocument::default()
    };
    let mut warnings = warnings(measured, &pages, &run, families);
    warnings.extend(untold_series(&by_url));
    run.warnings = warnings.iter().map(ToString::to_string).collect();
    Weigh { run, pages }
}

fn machine_of(measured: &Measured<'_>) -> Machine {
    let mut machine = machine(&measured.recording.times(), Some(measured.spoiled));
    measured.reference.tell(&mut machine);
    machine
}

fn host(measured: &Measured<'_>, elsewhere: &Elsewhere) -> WeighedHost {
    let times = elsewhere.id.index_elsewhere().map(|index| measured.recording.times_at(index));
    let is_known = elsewhere.spoiled.is_some();
    WeighedHost {
        name: elsewhere.name.clone(),
        kind: if elsewhere.is_exporter { "exporter" } else { "host" }.to_owned(),
        round_trip_ns: elsewhere.round_trip.map(nanos),
        processors: elsewhere.processors.map(|processors| processors as u64),
        series: measured.catalog.series_of(elsewhere.id) as u64,
        blocks: measured.recording.rounds_at(elsewhere.id, measured.requests.len()) as u64,
        agent_share_of_core: measured.own_share(elsewhere.id).filter(|_| !elsewhere.is_exporter),
        gone: elsewhere.gone.clone(),
        machine: times.filter(|_| is_known).map(|times| machine(&times, elsewhere.spoiled.as_ref())),
    }
}

/// Processors kept busy in the off phases by everything but this process.
fn background_cores(measured: &Measured<'_>) -> f64 {
    let catalog = measured.catalog;
    let here =
        catalog.groups().filter(|((source, _), group)| *source == SourceId::HERE && group.kind != SeriesKind::Own);
    let others: Vec<SeriesKey> = here.filter_map(|(group, _)| catalog.named(group, "cpu")).collect();
    let off = || measured.recording.counted().flat_map(BlockRecord::off_phases);
    let busy: f64 = off().map(|phase| others.iter().map(|key| phase.of(*key)).sum::<f64>()).sum();
    let time: u64 = off().map(|phase| phase.duration_ns).sum();
    busy / time.max(1) as f64
}

/// Demodulates every counter of every group that counted anything.
fn rows<'a>(measured: &Measured<'a>, url: usize) -> Vec<Row<'a>> {
    let seen: BTreeSet<SeriesKey> = measured
        .recording
        .of_url(url)
        .flat_map(|block| &block.phases)
        .flat_map(|phase| phase.grown.keys().copied())
        .collect();
    seen.into_iter()
        .filter_map(|key| {
            let blocks = measured.recording.series(url, key.source, |phase| phase.of(key));
            let weight = Weight::of(&blocks).ok()?;
            let on_path = on_path(measured, url).contains(&key.group());
            let (group, counter) = (measured.catalog.group(key.group())?, measured.catalog.counter(key)?);
            let family = measured.catalog.family(key);
            let is_deciding = family.map_or(counter.name == "cpu", |(_, is_deciding)| is_deciding);
            let family = family.map(|(family, _)| family);
            Some(Row { group, counter, key, family, is_deciding, weight, on_path, adjusted_p: 1.0 })
        })
        .collect()
}

fn weighed(measured: &Measured<'_>, url: usize, rows: &[Row<'_>]) -> WeighedPage {
    let is_cpu = |row: &&Row<'_>| row.is_cpu();
    let following: Vec<&Row<'_>> = rows.iter().filter(is_cpu).filter(|row| row.follows()).collect();
    let is_other = |row: &&Row<'_>| !row.follows() && !row.on_path && row.group.kind != SeriesKind::Own;
    let other: Vec<&Row<'_>> = rows.iter().filter(is_cpu).filter(is_other).collect();
    let sum_of =
        |parts: &[&Row<'_>]| measured.recording.joint(url, &parts.iter().map(|row| row.key).collect::<Vec<_>>());
    let estimate = |blocks: &[Option<Block>]| Weight::of(&blocks.iter().copied().flatten().collect::<Vec<_>>()).ok();
    let total = sum_of(&following);
    let total_cpu = estimate(&total).map(|weight| weight.per_request).filter(|_| !following.is_empty());
    let not_following = estimate(&sum_of(&other)).filter(|_| !other.is_empty()).map(|weight| NotFollowing {
        groups: other.len() as u64,
        cpu_ns: span(weight.per_request),
        noise_floor: weight.noise_floor,
    });
    let is_whole = on_path(measured, url).iter().all(|group| following.iter().any(|row| row.key.group() == *group));
    let unfollowed = unfollowed(measured, url, &following);
    let is_here = following.iter().all(|row| row.key.source == SourceId::HERE);
    let request = &measured.requests[url];
    let sample = &measured.samples[url];
    let phases = || measured.recording.of_url(url).flat_map(|block| &block.phases);
    let own_cpu =
        rows.iter().filter(is_cpu).find(|row| row.group.kind == SeriesKind::Own && row.key.source == SourceId::HERE);
    let (latency_ns, latency_intervals_ns) = latency(&measured.recording.latencies(url), &QUANTILES);
    let by_host = if is_here { Vec::new() } else { by_host(measured, url, &following, is_whole, &unfollowed) };
    // Without one of the groups that answer, it would describe only part of a request.
    let describes_all = is_whole && is_here && unfollowed.is_empty();
    let capacity = total_cpu.filter(|_| describes_all).and_then(|total| capacity(&total));
    let address = request.url().to_string();
    WeighedPage {
        weights: in_order_of_probes(
            rows.iter()
                .filter(|row| row.group.kind != SeriesKind::Own)
                // Of an exporter's thousands of series, only those that follow are shown.
                .filter(|row| row.group.kind != SeriesKind::Series || row.follows())
                .map(|row| (row, weight_row(measured, url, &address, row, &total))),
        ),
        url: WeighedUrl {
            url: address,
            name: request.name().strip_prefix("GET ").unwrap_or(request.name()).to_owned(),
            http: format!("{:?}", sample.version),
            requests: phases().map(|phase| phase.requests).sum(),
            blocks: measured.recording.of_url(url).count() as u64,
            response_bytes: sample.exchange.body_bytes,
            answer: None,
            changed_bodies: phases().map(|phase| phase.changed).sum(),
            connections: phases().map(|phase| phase.connections).sum(),
            latency_ns,
            latency_intervals_ns,
            client_cpu_ns: own_cpu.map(|row| span(row.weight.per_request)),
            total_cpu_ns: total_cpu.map(span),
            total_blocks: total_cpu.map(|total| total.blocks as u64).filter(|_| !by_host.is_empty()),
            by_host,
            not_following,
            path: path(measured, url),
            requests_per_core_second: capacity.map(|(core, _)| core),
            requests_per_machine_second: capacity.map(|(_, machine)| machine),
        },
        trace: trace(measured, url, &following, &other),
        inside: None,
    }
}

fn span(estimate: Estimate) -> Span {
    Span { value: estimate.value, low: estimate.low, high: estimate.high }
}

fn weight_row(
    measured: &Measured<'_>,
    url: usize,
    address: &str,
    row: &Row<'_>,
    total: &[Option<Block>],
) -> unladen_document::Weight {
    let counter = row.counter;
    let is_cpu = row.is_cpu() && row.follows();
    let estimate = row.weight.per_request;
    unladen_document::Weight {
        url: address.to_owned(),
        group: row.group.name.clone(),
        host: measured.catalog.source_name(row.key.source).map(ToOwned::to_owned),
        counter: counter.name.to_string(),
        unit: counter.unit.into_str().to_owned(),
        per_request: estimate.value,
        low: estimate.low,
        high: estimate.high,
        noise_floor: row.weight.noise_floor,
        follows: row.follows(),
        on_path: row.on_path,
        mean: estimate.mean,
        blocks: estimate.blocks as u64,
        adjusted_p: row.adjusted_p,
        title: counter.title.to_string(),
        displaced: row.weight.is_displaced(row.adjusted_p),
        approximate: counter.approximate,
        invalid: row.group.kind != SeriesKind::Machine && measured.has_lost(row.key.source),
        share: if is_cpu { share_of_total(measured, url, row.key, total).map(span) } else { None },
        user_share: if is_cpu { user_part(measured, url, row).map(span) } else { None },
    }
}

fn on_path(measured: &Measured<'_>, url: usize) -> Vec<GroupKey> {
    let groups = measured.paths.get(url).map(|path| path.groups.as_slice()).unwrap_or_default();
    groups.iter().map(|group| group_here(*group)).collect()
}

/// CPU per request by machine: this one first, then the others as named.
fn by_host(
    measured: &Measured<'_>,
    url: usize,
    following: &[&Row<'_>],
    is_whole: bool,
    unfollowed: &BTreeSet<String>,
) -> Vec<HostCpu> {
    let sources: BTreeSet<SourceId> = following.iter().map(|row| row.key.source).collect();
    let of = |source: SourceId| {
        let rows = following.iter().filter(|row| row.key.source == source);
        let keys: Vec<SeriesKey> = rows.map(|row| row.key).collect();
        let sum = |phase: &PhaseRecord| keys.iter().map(|key| phase.of(*key)).sum();
        let cpu = Weight::of(&measured.recording.series(url, source, sum)).ok()?.per_request;
        let elsewhere = measured.elsewhere.iter().find(|elsewhere| elsewhere.id == source);
        let processors = match elsewhere {
            // Without one of the groups that answer, it would describe only part of a request.
            None => is_whole.then(|| std::thread::available_parallelism().map_or(1, Into::into)),
            Some(elsewhere) => elsewhere.processors.filter(|_| !unfollowed.contains(&elsewhere.name)),
        };
        // Cores shared with another source serve both.
        let processors = processors.filter(|_| !measured.shares_its_machine(source));
        let capacity = processors.filter(|_| cpu.low > 0.0).map(|processors| {
            let most = |cpu: f64| 1e9 * processors as f64 / cpu;
            Span { value: most(cpu.value), low: most(cpu.high), high: most(cpu.low) }
        });
        Some(HostCpu {
            host: elsewhere.map(|elsewhere| elsewhere.name.clone()),
            cpu_ns: span(cpu),
            blocks: Some(cpu.blocks as u64),
            requests_per_machine_second: capacity,
        })
    };
    sources.into_iter().filter_map(of).collect()
}

/// Hosts whose groups certainly take the requests, but do not all follow them.
fn unfollowed(measured: &Measured<'_>, url: usize, following: &[&Row<'_>]) -> BTreeSet<String> {
    let stations = measured.paths.get(url).map(|path| path.far.as_slice()).unwrap_or_default();
    let following: BTreeSet<&str> = following.iter().map(|row| row.group.name.as_str()).collect();
    hosts_without(stations, &following)
}

/// Hosts of stations on a request's path that have a group not in `groups`.
fn hosts_without(stations: &[FarStation], groups: &BTreeSet<&str>) -> BTreeSet<String> {
    let certain = stations.iter().filter(|station| station.certain).flat_map(|station| &station.groups);
    let missing = certain.filter(|group| !groups.contains(group.as_str()));
    missing.filter_map(|group| Some(group.split_once('/')?.0.to_owned())).collect()
}

/// With the groups' names.
fn path(measured: &Measured<'_>, url: usize) -> unladen_document::Path {
    let path = measured.paths.get(url).cloned().unwrap_or_default();
    let name = |group: &GroupId| measured.instrument.group(*group).name.clone();
    path_of(path.groups.iter().map(name).collect(), path.far, &path.seen)
}

/// A group's share of the total, by the blocks in which there is a total.
fn share_of_total(measured: &Measured<'_>, url: usize, key: SeriesKey, total: &[Option<Block>]) -> Option<Estimate> {
    let part = measured.recording.joint(url, &[key]);
    let (part, total): (Vec<Block>, Vec<Block>) = part.into_iter().zip(total).filter_map(|(a, b)| a.zip(*b)).unzip();
    share(&part, &total)
}

fn share(part: &[Block], total: &[Block]) -> Option<Estimate> {
    let excess = |blocks: &[Block]| blocks.iter().map(Block::excess).collect::<Vec<_>>();
    ratio(&excess(part), &excess(total)).ok()
}

/// The user-mode share of a group's CPU, by the kernel's samples.
fn user_part(measured: &Measured<'_>, url: usize, row: &Row<'_>) -> Option<Estimate> {
    let user = measured.catalog.named(row.key.group(), "cpu_user")?;
    let system = measured.catalog.named(row.key.group(), "cpu_system")?;
    let series = |of: &dyn Fn(&PhaseRecord) -> f64| measured.recording.series(url, row.key.source, of);
    share(&series(&|phase| phase.of(user)), &series(&|phase| phase.of(user) + phase.of(system)))
}

/// Rows in the order in which the probes list their counters, so that all tables look alike.
fn in_order_of_probes<'a>(
    rows: impl Iterator<Item = (&'a Row<'a>, unladen_document::Weight)>,
) -> Vec<unladen_document::Weight> {
    let mut rows: Vec<(&Row<'_>, unladen_document::Weight)> = rows.collect();
    rows.sort_by(|a, b| {
        let key = |row: &Row<'a>| (row.key.source, row.group.name.as_str(), row.key.counter());
        key(a.0).cmp(&key(b.0))
    });
    rows.into_iter().map(|(_, row)| row).collect()
}

/// Requests per second that the total allows one core, and all cores of this machine, if CPU is the bottleneck. `None`
/// if its interval reaches down to zero.
fn capacity(total: &Estimate) -> Option<(Span, Span)> {
    if total.low <= 0.0 {
        return None;
    }
    let cores = std::thread::available_parallelism().map_or(1.0, |n| n.get() as f64);
    let per_core = Span { value: 1e9 / total.value, low: 1e9 / total.high, high: 1e9 / total.low };
    let machine = Span { value: per_core.value * cores, low: per_core.low * cores, high: per_core.high * cores };
    Some((per_core, machine))
}

#[cfg(test)]
mod tests;
