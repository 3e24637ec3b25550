//! [`measure`]: weighs the kinds, a cell of two after the other, as long as there is time and within a bound of load.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use unladen_load::{Cancel, Driver, DriverConfig, End, LoadPlan, Mix, Stop};
use unladen_lockin::{Allotment, Bill, Cell, MIN_CELLS, PHASES_PER_CELL, Phase, Spoiled};
use unladen_machine::{MachineClock, MachineTimes};
use unladen_probe::{GroupBy, GroupId, GroupKind, Instrument, Own};
use unladen_quantity::lasting;
use unladen_report::{Ended, Kind, Quantity};

use crate::bill::plan::{PHASE, Plan, REQUESTS};
use crate::exit::Failure;
use crate::interrupt::Stopped;
use crate::machine::conditions;
use crate::progress::Progress;

/// The end of a phase after its last answer, for work that a server does later.
const SETTLE: Duration = Duration::from_millis(100);
/// Requests that warm a kind up.
const WARM_UP: u64 = 4;
/// From so many failed requests on, as a share of all, the site is left alone.
const FAILING: f64 = 0.2;
const LEAST_FAILED: u64 = 20;

pub(crate) struct Options {
    /// All URLs of all kinds, in the order of the plan.
    pub(crate) driver: DriverConfig,
    pub(crate) group_by: GroupBy,
    /// As set by the user.
    pub(crate) time: Option<Duration>,
    /// Bound of the CPU that measuring adds, in cores.
    pub(crate) load: f64,
    pub(crate) seed: u64,
    pub(crate) quiet: bool,
}

/// A cell's readings.
struct CellRecord {
    kinds: [usize; 2],
    durations_ns: [u64; PHASES_PER_CELL],
    requests: [u64; PHASES_PER_CELL],
    /// CPU of each group in each phase, in ns.
    cpu: HashMap<GroupId, [f64; PHASES_PER_CELL]>,
    times: MachineTimes,
}

/// What was measured.
pub(crate) struct Measured {
    cells: Vec<CellRecord>,
    /// By number, and whether its processes are of the site, as far as is known: not the client's own.
    pub(crate) groups: Vec<(GroupId, String)>,
    /// Per kind, and of the mix of all.
    pub(crate) sent: Vec<u64>,
    pub(crate) failed: Vec<u64>,
    /// The kind of a cell in which requests of all kinds are sent at once.
    pub(crate) mixed: usize,
    pub(crate) concurrency: usize,
    pub(crate) elapsed: Duration,
    pub(crate) spoiled: Spoiled,
    pub(crate) times: MachineTimes,
    pub(crate) ended: Ended,
    /// A request failed, after enough cells for a result.
    pub(crate) failure: Option<Failure>,
    pub(crate) settle: Duration,
}

impl Measured {
    /// The cells of these groups together that are not spoiled.
    pub(crate) fn cells(&self, groups: &[GroupId]) -> Vec<Cell> {
        let kept = self.cells.iter().enumerate().filter(|(at, _)| !self.spoiled.is_left_out(*at));
        kept.map(|(_, record)| record.cell(|group| groups.contains(&group))).collect()
    }
}

impl CellRecord {
    fn cell(&self, wanted: impl Fn(GroupId) -> bool) -> Cell {
        let mut counts = [0.0; PHASES_PER_CELL];
        for (_, cpu) in self.cpu.iter().filter(|(group, _)| wanted(**group)) {
            counts.iter_mut().zip(cpu).for_each(|(sum, cpu)| *sum += cpu);
        }
        let phase =
            |at: usize| Phase { duration_ns: self.durations_ns[at], requests: self.requests[at], count: counts[at] };
        Cell { kinds: self.kinds, phases: std::array::from_fn(phase) }
    }
}

struct Run<'a> {
    driver: Driver,
    instrument: Instrument,
    clock: MachineClock,
    cancel: &'a Cancel,
    mixes: Vec<Mix>,
    /// Of a phase with requests of each kind.
    lengths: Vec<Duration>,
    sent: Vec<u64>,
    failed: Vec<u64>,
    concurrency: usize,
    seed: u64,
    phases: u64,
    /// How long requests were answered, all together: they take no more CPU than one core had in that time, whatever
    /// else the machine does.
    answering: Duration,
}

/// Fails with whatever ended the run before there were enough cells.
pub(crate) fn measure(plan: &Plan, options: &Options, cancel: &Cancel) -> Result<Measured, Failure> {
    let progress = Progress::new(options.quiet);
    let mut driver = Driver::start(options.driver.clone())?;
    let mut mixes = mixes(plan);
    let kinds = plan.kinds.len();
    let all = plan.kinds.iter().zip(&mixes).flat_map(|(kind, mix)| {
        let shares = mix.shares(options.driver.requests.len());
        let weight = kind.requests as f64;
        shares.into_iter().enumerate().filter(|(_, share)| *share > 0.0).map(move |(at, share)| (at, share * weight))
    });
    let all = Mix::weighted(all.collect::<Vec<_>>());
    let mut lengths = Vec::with_capacity(kinds + 1);
    for (kind, mix) in plan.kinds.iter().zip(&mixes) {
        progress.say(format!("warming up {}", kind.name));
        lengths.push(length(warmed_up(&mut driver, mix.clone(), &kind.name, cancel)?));
    }
    let longest = lengths.iter().max().copied().unwrap_or(PHASE);
    mixes.push(all);
    lengths.push(longest);
    progress.say("finding all processes");
    let instrument = Instrument::open_with(options.group_by, Own::new())?;
    let mean = lengths.iter().sum::<Duration>() / u32::try_from(lengths.len()).unwrap_or(1);
    // At the bound of the load: as if each request kept one core busy.
    let cell = (2 * mean).div_f64(options.load.clamp(0.05, 0.5));
    let least = plan.least_time(cell);
    if let Some(time) = options.time.filter(|time| *time < least) {
        return Err(Failure::CannotMeasure(format!(
            "{} is too short: {MIN_CELLS} stretches of each of {kinds} kinds take {} at {:.0} % of a core (--load); \
             --most-kinds weighs fewer",
            lasting(time),
            lasting(least),
            100.0 * options.load
        )));
    }
    let time = options.time.unwrap_or_else(|| plan.time(cell));
    let concurrency = std::thread::available_parallelism().map_or(1, Into::into);
    let mut run = Run {
        driver,
        instrument,
        clock: MachineClock::open(),
        cancel,
        sent: vec![0; kinds + 1],
        failed: vec![0; kinds + 1],
        mixes,
        lengths,
        concurrency,
        seed: options.seed,
        phases: 0,
        answering: Duration::ZERO,
    };
    let begun = Instant::now();
    let machine = run.clock.read();
    let mut factors: Vec<f64> = plan.kinds.iter().map(|kind| kind.requests as f64).collect();
    // The mix pays for nothing, and has the floor of cells alone.
    factors.push(0.0);
    let mut allotment = Allotment::new(options.seed, factors.clone());
    let mut cells = Vec::<CellRecord>::new();
    let stopped = loop {
        let so_far: Vec<Cell> = cells.iter().map(|record| record.cell(|group| run.is_sites(group))).collect();
        let bill = Bill::new(kinds + 1, &so_far);
        let is_whole = (0..=kinds).all(|kind| bill.cells_of(kind) >= MIN_CELLS);
        if begun.elapsed() >= time && is_whole {
            break Stopped::Done;
        }
        progress.at(begun.elapsed().div_duration_f64(time), begun.elapsed(), Some(time), &so_far_text(&bill, &factors));
        match run.cell(allotment.next(&bill)) {
            Ok(Some(record)) => cells.push(record),
            Ok(None) => break Stopped::Interrupted,
            Err(failure) => break Stopped::Failed(failure),
        }
        if let Some(failure) = run.is_failing() {
            break Stopped::Failed(failure);
        }
        let due = run.answering.div_f64(options.load);
        if cancel.wait(due.saturating_sub(begun.elapsed())) {
            break Stopped::Interrupted;
        }
    };
    progress.clear();
    let elapsed = begun.elapsed();
    let enough = {
        let done: Vec<Cell> = cells.iter().map(|record| record.cell(|_| true)).collect();
        let bill = Bill::new(kinds, &done);
        (0..kinds).all(|kind| bill.cells_of(kind) >= MIN_CELLS)
    };
    let (ended, failure) = stopped.ended(enough)?;
    let all: Vec<_> = cells.iter().map(|record| conditions(&record.times)).collect();
    let spoiled = Spoiled::of(&all, |kept| {
        let of_kind =
            |kind: usize| cells.iter().zip(kept).filter(|(cell, kept)| **kept && cell.kinds.contains(&kind)).count();
        (0..kinds).all(|kind| of_kind(kind) >= MIN_CELLS)
    });
    let groups = run.instrument.groups().filter(|(group, _)| run.is_sites(*group));
    Ok(Measured {
        groups: groups.map(|(id, group)| (id, group.name.clone())).collect(),
        cells,
        times: run.clock.read().since(&machine),
        sent: run.sent,
        failed: run.failed,
        mixed: kinds,
        concurrency,
        elapsed,
        spoiled,
        ended,
        failure,
        settle: SETTLE,
    })
}

/// URLs of each kind as they are drawn; requests are numbered in the order of the plan.
fn mixes(plan: &Plan) -> Vec<Mix> {
    let mut next = 0;
    let mut mix = |urls: &[(String, f64)]| {
        let first = next;
        next += urls.len();
        Mix::weighted(urls.iter().enumerate().map(|(at, (_, weight))| (first + at, *weight)))
    };
    plan.kinds.iter().map(|kind| mix(&kind.urls)).collect()
}

fn length(latency: Duration) -> Duration {
    PHASE.max(latency * REQUESTS) + SETTLE
}

/// The median latency. Fails if no request is answered.
fn warmed_up(driver: &mut Driver, mix: Mix, name: &str, cancel: &Cancel) -> Result<Duration, Failure> {
    let plan = LoadPlan { stop: Stop::after(Duration::MAX).or_requests(WARM_UP), ..LoadPlan::new(mix) };
    let mut running = driver.load(plan, cancel)?;
    let mut latencies = Vec::new();
    while let Some(batch) = running.next_batch() {
        let answered = batch.iter().filter(|outcome| outcome.error.is_none());
        latencies.extend(answered.map(|outcome| outcome.done.saturating_duration_since(outcome.planned)));
    }
    let end = running.end()?;
    if end.ended == End::Cancelled {
        return Err(Failure::Interrupted { shown: false });
    }
    latencies.sort_unstable();
    latencies.get(latencies.len() / 2).copied().ok_or_else(|| {
        let why = end.first_errors.into_values().next().unwrap_or_default();
        Failure::CannotMeasure(format!(
            "no request of the kind `{name}` was answered as expected: {why} (is this the site of the log? \
             `--expect-status` allows other statuses)"
        ))
    })
}

fn so_far_text(bill: &Bill, factors: &[f64]) -> String {
    match bill.sum(factors) {
        Ok(total) => {
            let so_far = Quantity { kind: Kind::Time, value: total.value, margin: total.margin() };
            format!("{so_far} of CPU so far (±{:.1} %)", total.relative_half_width() * 100.0)
        }
        Err(_) => "too few cells for an interval yet".to_owned(),
    }
}

impl Run<'_> {
    fn is_sites(&self, group: GroupId) -> bool {
        matches!(self.instrument.group(group).kind, GroupKind::Unit { .. } | GroupKind::Processes | GroupKind::Kernel)
    }

    /// `None` if cancelled.
    fn cell(&mut self, kinds: [usize; 2]) -> Result<Option<CellRecord>, Failure> {
        let off = kinds.map(|kind| self.lengths[kind]).iter().sum::<Duration>() / 2;
        let cpu = self.instrument.counter_named("cpu");
        let begun = self.clock.read();
        let mut before = self.instrument.read()?;
        let mut record = CellRecord {
            kinds,
            durations_ns: [0; PHASES_PER_CELL],
            requests: [0; PHASES_PER_CELL],
            cpu: HashMap::new(),
            times: MachineTimes::default(),
        };
        for (at, kind) in [None, Some(kinds[0]), Some(kinds[1]), None].into_iter().enumerate() {
            match kind {
                None if self.cancel.wait(off) => return Ok(None),
                None => {}
                Some(kind) => match self.send(kind)? {
                    Some(requests) => record.requests[at] = requests,
                    None => return Ok(None),
                },
            }
            let after = self.instrument.read()?;
            record.durations_ns[at] = after.at_ns().saturating_sub(before.at_ns());
            for (group, counter, grown) in after.since(&before) {
                if Some(counter) == cpu {
                    record.cpu.entry(group).or_default()[at] += grown as f64;
                }
            }
            before = after;
        }
        record.times = self.clock.read().since(&begun);
        Ok(Some(record))
    }

    /// Sends a phase of a kind, and waits for its end; `None` if cancelled.
    fn send(&mut self, kind: usize) -> Result<Option<u64>, Failure> {
        let end = Instant::now() + self.lengths[kind];
        self.phases += 1;
        let is_mixed = kind + 1 == self.mixes.len();
        let plan = LoadPlan {
            stop: Stop { until: end.checked_sub(SETTLE).unwrap_or(end), max_requests: None },
            concurrency: if is_mixed { self.concurrency } else { 1 },
            seed: self.seed.wrapping_add(self.phases.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
            ..LoadPlan::new(self.mixes[kind].clone())
        };
        let mut running = self.driver.load(plan, self.cancel)?;
        let (mut answered, mut failed, mut last) = (0, 0, Instant::now());
        while let Some(batch) = running.next_batch() {
            for outcome in batch {
                answered += 1;
                failed += u64::from(outcome.error.is_some());
                last = last.max(outcome.done);
                self.answering += outcome.done.saturating_duration_since(outcome.sent.unwrap_or(outcome.planned));
            }
        }
        if running.end()?.ended == End::Cancelled {
            return Ok(None);
        }
        self.sent[kind] += answered;
        self.failed[kind] += failed;
        let end = end.max(last + SETTLE);
        Ok((!self.cancel.wait(end.saturating_duration_since(Instant::now()))).then_some(answered))
    }

    fn is_failing(&self) -> Option<Failure> {
        let (sent, failed) = (self.sent.iter().sum::<u64>(), self.failed.iter().sum::<u64>());
        (failed >= LEAST_FAILED && failed as f64 >= FAILING * sent as f64).then(|| {
            Failure::CannotMeasure(format!(
                "{failed} of {sent} requests failed: the site is left alone (`--expect-status` allows other statuses)"
            ))
        })
    }
}
