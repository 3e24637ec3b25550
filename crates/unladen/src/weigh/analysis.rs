//! From a recording to a result: [`analyse`].

use std::collections::BTreeSet;

use unladen_lockin::{Block, Estimate, Weight, ratio};
use unladen_probe::{CounterId, GroupId, GroupKind, Instrument};
use unladen_report::{Client, Machine, Rest, Setup, Span, UrlCapacity, Weigh, WeighedUrl, WeightRow};

use crate::counters::kind_of;
use crate::latency::{QUANTILES, latency};
use crate::machine::machine;
use crate::weigh::judge::judge;
use crate::weigh::measured::Measured;
use crate::weigh::recording::{BlockRecord, PhaseRecord};
use crate::weigh::row::Row;
use crate::weigh::trace::trace;
use crate::weigh::warnings::warnings;

/// Analyses.
pub(crate) fn analyse(measured: &Measured<'_>) -> Weigh {
    let mut by_url: Vec<Vec<Row<'_>>> = (0..measured.requests.len()).map(|url| rows(measured, url)).collect();
    let families = judge(&mut by_url, measured.instrument);
    let urls: Vec<WeighedUrl> = by_url.iter().enumerate().map(|(url, rows)| weighed(measured, url, rows)).collect();
    let elapsed = measured.recording.elapsed();
    let probe_share = measured.probe_cpu.as_secs_f64() / elapsed.as_secs_f64().max(1e-9);
    let processors = std::thread::available_parallelism().map_or(1, Into::into);
    let setup = Setup {
        seed: measured.options.seed,
        elapsed,
        phase: measured.plan.phase,
        settle: measured.options.settle,
        concurrency: measured.options.driver.concurrency,
        rate: measured.options.driver.rate,
        keep_alive: measured.options.driver.keep_alive,
        keep_cookies: measured.options.driver.keep_cookies,
        processors,
        background_cores: background_cores(measured),
        probe_share,
    };
    Weigh {
        warnings: warnings(measured, &urls, &setup, families),
        setup,
        ended: measured.ended,
        urls,
        left_behind: None,
        machine: Some(machine_of(measured)),
    }
}

/// What the machine did, and how fast it was.
fn machine_of(measured: &Measured<'_>) -> Machine {
    let mut machine = machine(&measured.recording.times(), Some(measured.spoiled));
    measured.reference.tell(&mut machine);
    machine
}

/// Processors that everything but this process kept busy in the off phases.
fn background_cores(measured: &Measured<'_>) -> f64 {
    let instrument = measured.instrument;
    let Some(cpu) = instrument.counter_named("cpu") else { return 0.0 };
    let others: Vec<GroupId> =
        instrument.groups().filter(|(_, group)| group.kind != GroupKind::Own).map(|(id, _)| id).collect();
    let off = || measured.recording.counted().flat_map(BlockRecord::off_phases);
    let busy: u64 = off().map(|phase| others.iter().map(|group| phase.of(*group, cpu)).sum::<u64>()).sum();
    let time: u64 = off().map(|phase| phase.duration_ns).sum();
    busy as f64 / time.max(1) as f64
}

/// Demodulates every counter of every group that counted anything.
fn rows<'a>(measured: &Measured<'a>, url: usize) -> Vec<Row<'a>> {
    let seen: BTreeSet<(GroupId, CounterId)> = measured
        .recording
        .of_url(url)
        .flat_map(|block| &block.phases)
        .flat_map(|phase| phase.grown.keys().copied())
        .collect();
    seen.into_iter()
        .filter_map(|(group_id, counter)| {
            let blocks = measured.recording.series(url, |phase| phase.of(group_id, counter));
            let weight = Weight::of(&blocks).ok()?;
            let on_path = measured.paths.get(url).is_some_and(|path| path.groups.contains(&group_id));
            let group = measured.instrument.group(group_id);
            Some(Row { group, group_id, counter, weight, blocks, on_path, adjusted_p: 1.0 })
        })
        .collect()
}

fn weighed(measured: &Measured<'_>, url: usize, rows: &[Row<'_>]) -> WeighedUrl {
    let instrument = measured.instrument;
    let is_cpu = |row: &&Row<'_>| instrument.counter(row.counter).name == "cpu" && row.group.kind != GroupKind::Machine;
    let following: Vec<&Row<'_>> = rows.iter().filter(is_cpu).filter(|row| row.follows()).collect();
    let is_other = |row: &&Row<'_>| !row.follows() && !row.on_path && row.group.kind != GroupKind::Own;
    let other: Vec<&Row<'_>> = rows.iter().filter(is_cpu).filter(is_other).collect();
    let sum_of = |parts: &[&Row<'_>]| {
        let keys: Vec<_> = parts.iter().map(|row| (row.group_id, row.counter)).collect();
        measured.recording.series(url, |phase| keys.iter().map(|(group, counter)| phase.of(*group, *counter)).sum())
    };
    let total = sum_of(&following);
    let total_cpu = Weight::of(&total).ok().map(|weight| weight.per_request).filter(|_| !following.is_empty());
    let rest = Weight::of(&sum_of(&other)).ok().filter(|_| !other.is_empty()).map(|weight| Rest {
        groups: other.len(),
        cpu: weight.per_request,
        noise_floor: weight.noise_floor,
    });
    let on_path = measured.paths.get(url).map(|path| path.groups.as_slice()).unwrap_or_default();
    let is_whole = on_path.iter().all(|group| following.iter().any(|row| row.group_id == *group));
    let request = &measured.requests[url];
    let sample = &measured.samples[url];
    let phases = || measured.recording.of_url(url).flat_map(|block| &block.phases);
    let own_cpu = rows.iter().filter(is_cpu).find(|row| row.group.kind == GroupKind::Own);
    WeighedUrl {
        name: request.name().strip_prefix("GET ").unwrap_or(request.name()).to_owned(),
        url: request.url().to_string(),
        http: format!("{:?}", sample.version),
        requests: phases().map(|phase| phase.requests).sum(),
        blocks: measured.recording.of_url(url).count(),
        response_bytes: sample.exchange.body_bytes,
        client: Client {
            latency: latency(&measured.recording.latencies(url), &QUANTILES),
            connections: phases().map(|phase| phase.connections).sum(),
            changed: phases().map(|phase| phase.changed).sum(),
            cpu: own_cpu.map(|row| row.weight.per_request),
        },
        weights: in_order_of_probes(
            rows.iter()
                .filter(|row| row.group.kind != GroupKind::Own)
                .map(|row| weight_row(measured, url, row, &total)),
            instrument,
        ),
        total_cpu,
        rest,
        // Without one of those that answer it would be said of less than a request.
        capacity: total_cpu.filter(|_| is_whole).and_then(|total| capacity(&total)),
        path: path(measured, url),
        trace: trace(measured, url, &following, &other),
        inside: None,
    }
}

fn weight_row(measured: &Measured<'_>, url: usize, row: &Row<'_>, total: &[Block]) -> WeightRow {
    let counter = measured.instrument.counter(row.counter);
    let is_cpu = counter.name == "cpu" && row.follows();
    WeightRow {
        group: row.group.name.clone(),
        is_machine: row.group.kind == GroupKind::Machine,
        counter: counter.name,
        title: counter.title,
        unit: counter.unit.as_str(),
        kind: kind_of(counter.unit),
        approximate: counter.approximate,
        per_request: row.weight.per_request,
        noise_floor: row.weight.noise_floor,
        adjusted_p: row.adjusted_p,
        follows: row.follows(),
        on_path: row.on_path,
        displaced: row.weight.is_displaced(row.adjusted_p),
        invalid: measured.lost && row.group.kind != GroupKind::Machine,
        share: if is_cpu { share(&row.blocks, total) } else { None },
        user: if is_cpu { user_part(measured, url, row) } else { None },
    }
}

/// With the groups' names.
fn path(measured: &Measured<'_>, url: usize) -> unladen_report::Path {
    let path = measured.paths.get(url).cloned().unwrap_or_default();
    let name = |group: &GroupId| measured.instrument.group(*group).name.clone();
    unladen_report::Path { groups: path.groups.iter().map(name).collect(), seen: path.seen }
}

/// The part of the total that one group makes up.
fn share(part: &[Block], total: &[Block]) -> Option<Estimate> {
    let excess = |blocks: &[Block]| blocks.iter().map(Block::excess).collect::<Vec<_>>();
    ratio(&excess(part), &excess(total)).ok()
}

/// The part of a group's CPU in user mode, by the kernel's samples.
fn user_part(measured: &Measured<'_>, url: usize, row: &Row<'_>) -> Option<Estimate> {
    let user = measured.instrument.counter_named("cpu_user")?;
    let system = measured.instrument.counter_named("cpu_system")?;
    let group = row.group_id;
    let series = |of: &dyn Fn(&PhaseRecord) -> u64| measured.recording.series(url, of);
    share(&series(&|phase| phase.of(group, user)), &series(&|phase| phase.of(group, user) + phase.of(group, system)))
}

/// Rows in the order in which the probes list their counters, so that tables read alike.
fn in_order_of_probes(rows: impl Iterator<Item = WeightRow>, instrument: &Instrument) -> Vec<WeightRow> {
    let mut rows: Vec<WeightRow> = rows.collect();
    let place = |name: &str| instrument.counters().iter().position(|counter| counter.name == name);
    rows.sort_by(|a, b| (&a.group, place(a.counter)).cmp(&(&b.group, place(b.counter))));
    rows
}

/// What the total allows, if CPU is what runs out. `None` if its interval reaches down to nothing.
fn capacity(total: &Estimate) -> Option<UrlCapacity> {
    if total.low <= 0.0 {
        return None;
    }
    let cores = std::thread::available_parallelism().map_or(1.0, |n| n.get() as f64);
    let per_core = Span { value: 1e9 / total.value, low: 1e9 / total.high, high: 1e9 / total.low };
    let machine = Span { value: per_core.value * cores, low: per_core.low * cores, high: per_core.high * cores };
    Some(UrlCapacity { per_core, machine })
}
