//! [`measure`]: weighs the kinds, a cell of two after the other, as long as there is time and within a bound of load.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use unladen_load::{Cancel, Driver, DriverConfig, End, ErrorKind, LoadOutcome, LoadPlan, Mix, Stop};
use unladen_lockin::{Allotment, Bill, Cell, MIN_CELLS, PHASES_PER_CELL, Phase, Spoiled};
use unladen_machine::{MachineClock, MachineTimes};
use unladen_probe::{GroupBy, GroupId, GroupKind, Instrument, Own};
use unladen_quantity::lasting;
use unladen_report::{Ended, Kind, Quantity};

use crate::bill::plan::{PHASE, Plan, Planned, REQUESTS};
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
    /// Whether 404 and 410 are the answers of [`Planned::is_not_found`], and of no other kind.
    pub(crate) is_by_kind: bool,
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

impl Options {
    /// Whether it is answered, but as another kind is.
    fn is_other(&self, is_not_found: bool, outcome: &LoadOutcome) -> bool {
        let is_missing = matches!(outcome.status, Some(404 | 410));
        self.is_by_kind && outcome.error.is_none() && is_missing != is_not_found
    }
}

/// What was measured.
pub(crate) struct Measured {
    cells: Vec<CellRecord>,
    /// All but the client's own.
    pub(crate) groups: Vec<(GroupId, String)>,
    /// The median of each kind.
    pub(crate) latencies: Vec<Duration>,
    /// Answers that set cookies for somebody new.
    pub(crate) strangers: u64,
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
    options: &'a Options,
    /// URLs that 404 or 410 is the answer to.
    not_found: HashSet<usize>,
    driver: Driver,
    instrument: Instrument,
    clock: MachineClock,
    cancel: &'a Cancel,
    progress: &'a Progress,
    /// Of each kind, and of all.
    mixes: Vec<Mix>,
    /// Of a phase with requests of each kind.
    lengths: Vec<Duration>,
    cells: Vec<CellRecord>,
    sent: Vec<u64>,
    failed: Vec<u64>,
    concurrency: usize,
    phases: u64,
    /// How long requests were answered, all together: they take no more CPU than one core had in that time, whatever
    /// else the machine does.
    answering: Duration,
}

/// Takes kinds that are not answered out of the plan. Fails with whatever ended the run before there were enough cells.
pub(crate) fn measure(plan: &mut Plan, options: &Options, cancel: &Cancel) -> Result<Measured, Failure> {
    let progress = Progress::new(options.quiet);
    let mut driver = Driver::start(options.driver.clone())?;
    let latencies = warm_up(plan, options, &mut driver, &progress, cancel)?;
    let lengths: Vec<Duration> = latencies.iter().map(|latency| PHASE.max(*latency * REQUESTS) + SETTLE).collect();
    let mean = lengths.iter().sum::<Duration>() / u32::try_from(lengths.len()).unwrap_or(1);
    // At the bound of the load: as if each request kept one core busy.
    let time = time(plan, options, (2 * mean).div_f64(options.load.clamp(0.05, 0.5)))?;
    progress.say("finding all processes");
    let instrument = Instrument::open_with(options.group_by, Own::new())?;
    let kinds = plan.kinds.len();
    let not_found = plan.kinds.iter().filter(|kind| kind.is_not_found);
    let mut run = Run {
        options,
        not_found: not_found.flat_map(|kind| kind.first..kind.first + kind.urls.len()).collect(),
        driver,
        instrument,
        clock: MachineClock::open(),
        cancel,
        progress: &progress,
        mixes: mixes(plan),
        // Requests of any kind are in the mix of all.
        lengths: lengths.iter().copied().chain(lengths.iter().max().copied()).collect(),
        cells: Vec::new(),
        sent: vec![0; kinds + 1],
        failed: vec![0; kinds + 1],
        concurrency: std::thread::available_parallelism().map_or(1, Into::into),
        phases: 0,
        answering: Duration::ZERO,
    };
    let (begun, machine) = (Instant::now(), run.clock.read());
    let stopped = run.cells(plan, time, options.load);
    progress.clear();
    let elapsed = begun.elapsed();
    let (ended, failure) = stopped.ended(run.is_enough(kinds))?;
    let all: Vec<_> = run.cells.iter().map(|record| conditions(&record.times)).collect();
    let spoiled = Spoiled::of(&all, |kept| {
        let of_kind = |kind: usize| {
            run.cells.iter().zip(kept).filter(|(cell, kept)| **kept && cell.kinds.contains(&kind)).count()
        };
        (0..kinds).all(|kind| of_kind(kind) >= MIN_CELLS)
    });
    let groups = run.instrument.groups().filter(|(group, _)| run.is_sites(*group));
    Ok(Measured {
        groups: groups.map(|(id, group)| (id, group.name.clone())).collect(),
        times: run.clock.read().since(&machine),
        strangers: run.driver.strangers(),
        cells: run.cells,
        latencies,
        sent: run.sent,
        failed: run.failed,
        mixed: kinds,
        concurrency: run.concurrency,
        elapsed,
        spoiled,
        ended,
        failure,
        settle: SETTLE,
    })
}

/// How long it takes, if `cell` is the length of a cell. Fails if the user's time is too short.
fn time(plan: &Plan, options: &Options, cell: Duration) -> Result<Duration, Failure> {
    let least = plan.least_time(cell);
    match options.time {
        None => Ok(plan.time(cell)),
        Some(time) if time >= least => Ok(time),
        Some(time) => Err(Failure::CannotMeasure(format!(
            "{} is too short: {MIN_CELLS} stretches of each of {} kinds take {} at {:.0} % of a core (--load); \
             --most-kinds weighs fewer",
            lasting(time),
            plan.kinds.len(),
            lasting(least),
            100.0 * options.load
        ))),
    }
}

/// URLs of each kind as they are drawn, and those of all kinds.
fn mixes(plan: &Plan) -> Vec<Mix> {
    let of_kind = |kind: &Planned, sum: f64| {
        let urls = kind.urls.iter().enumerate();
        let whole: f64 = kind.urls.iter().map(|(_, weight)| weight).sum();
        urls.map(|(at, (_, weight))| (kind.first + at, weight / whole * sum)).collect::<Vec<_>>()
    };
    let all = plan.kinds.iter().flat_map(|kind| of_kind(kind, kind.requests as f64));
    plan.kinds.iter().map(|kind| Mix::weighted(of_kind(kind, 1.0))).chain([Mix::weighted(all)]).collect()
}

/// The median latency of each kind; a kind of which no request is answered is taken out. Fails if the site cannot be
/// reached, if it leaves requests of two kinds without an answer, or if no kind is left.
fn warm_up(
    plan: &mut Plan,
    options: &Options,
    driver: &mut Driver,
    progress: &Progress,
    cancel: &Cancel,
) -> Result<Vec<Duration>, Failure> {
    let mixes = mixes(plan);
    let (mut latencies, mut silent) = (Vec::new(), 0);
    for mix in &mixes[..mixes.len() - 1] {
        let at = latencies.len();
        progress.say(format!("warming up {}", plan.kinds[at].name));
        let limit = Stop::after(Duration::MAX).or_requests(WARM_UP);
        let mut running = driver.load(LoadPlan { stop: limit, ..LoadPlan::new(mix.clone()) }, cancel)?;
        let (mut answered, mut other) = (Vec::new(), None);
        let is_not_found = plan.kinds[at].is_not_found;
        while let Some(batch) = running.next_batch() {
            other = batch.iter().rfind(|outcome| options.is_other(is_not_found, outcome)).and_then(|one| one.status);
            let whole = batch.iter().filter(|one| one.error.is_none() && !options.is_other(is_not_found, one));
            answered.extend(whole.map(|outcome| outcome.done.saturating_duration_since(outcome.planned)));
        }
        let end = running.end()?;
        if end.ended == End::Cancelled {
            return Err(Failure::Interrupted { shown: false });
        }
        answered.sort_unstable();
        if let Some(median) = answered.get(answered.len() / 2) {
            latencies.push(*median);
            continue;
        }
        let is = |kind: ErrorKind| end.first_errors.contains_key(&kind);
        silent += usize::from(is(ErrorKind::Timeout));
        if is(ErrorKind::Connect) || is(ErrorKind::Tls) || silent > 1 {
            // The same error, as other commands tell it.
            driver.sample(plan.kinds[at].first, cancel)?;
        }
        let by_status = other.map_or_else(String::new, |status| format!("status {status}"));
        let why = end.first_errors.into_values().next().unwrap_or(by_status);
        plan.remove(at, format!("not answered as expected: {why}"));
    }
    match latencies.is_empty() {
        false => Ok(latencies),
        true => Err(Failure::CannotMeasure(format!(
            "no kind was answered as expected: {} (is this the site of the log? `--expect-status` allows other statuses)",
            plan.left_out()
        ))),
    }
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
    /// As many cells as there is time for, and the floor of each kind in any case; the load is in cores.
    fn cells(&mut self, plan: &Plan, time: Duration, load: f64) -> Stopped {
        // The mix pays for nothing, and has the floor of cells alone.
        let factors: Vec<f64> = plan.kinds.iter().map(|kind| kind.requests as f64).chain([0.0]).collect();
        let mut allotment = Allotment::new(self.options.seed, factors.clone());
        let begun = Instant::now();
        loop {
            let bill = self.bill(factors.len());
            if begun.elapsed() >= time && self.is_enough(factors.len()) {
                return Stopped::Done;
            }
            let done = begun.elapsed().div_duration_f64(time);
            self.progress.at(done, begun.elapsed(), Some(time), &so_far_text(&bill, &factors));
            match self.cell(allotment.next(&bill)) {
                Ok(Some(record)) => self.cells.push(record),
                Ok(None) => return Stopped::Interrupted,
                Err(failure) => return Stopped::Failed(failure),
            }
            if let Some(failure) = self.is_failing() {
                return Stopped::Failed(failure);
            }
            let due = self.answering.div_f64(load);
            if self.cancel.wait(due.saturating_sub(begun.elapsed())) {
                return Stopped::Interrupted;
            }
        }
    }

    /// Of all processes but the client's own.
    fn bill(&self, kinds: usize) -> Bill {
        let cells: Vec<Cell> = self.cells.iter().map(|record| record.cell(|group| self.is_sites(group))).collect();
        Bill::new(kinds, &cells)
    }

    fn is_enough(&self, kinds: usize) -> bool {
        let bill = self.bill(kinds);
        (0..kinds).all(|kind| bill.cells_of(kind) >= MIN_CELLS)
    }

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
            seed: self.options.seed.wrapping_add(self.phases.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
            ..LoadPlan::new(self.mixes[kind].clone())
        };
        let mut running = self.driver.load(plan, self.cancel)?;
        let (mut answered, mut failed, mut last) = (0, 0, Instant::now());
        while let Some(batch) = running.next_batch() {
            for outcome in batch {
                answered += 1;
                let is_not_found = self.not_found.contains(&outcome.request);
                failed += u64::from(outcome.error.is_some() || self.options.is_other(is_not_found, &outcome));
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
