//! Running the phases: [`weigh`] reads the counters at their edges and drives the client between them.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use unladen_finding::Unjudged;
use unladen_load::{Cancel, Driver, End, Request, Sample, Stop, Tally};
use unladen_lockin::{
    Block, BlockPlan, MIN_BLOCKS, PHASES_PER_BLOCK, Planner, Position, Timing, Until, Verdict, Weight,
};
use unladen_machine::MachineClock;
use unladen_probe::{GroupId, Instrument, Reading};
use unladen_report::{Ended, Quantity, Weigh};
use unladen_trace::{EvidenceSource, PageRecord};

use crate::exit::Failure;
use crate::progress::Progress;
use crate::reference::ReferenceWork;
use crate::strangers::strangers;
use crate::weigh::analysis::analyse;
use crate::weigh::catalog::{Catalog, SeriesKey, SourceId};
use crate::weigh::edge::{EdgeReading, EdgeSource, SeriesKind, SourceKind};
use crate::weigh::edges::{Edges, Watch};
use crate::weigh::elsewhere::Elsewhere;
use crate::weigh::inside::{Weighed, inside, look_inside};
use crate::weigh::known::Known;
use crate::weigh::left_behind::{Since, left_behind};
use crate::weigh::measured::Measured;
use crate::weigh::options::Options;
use crate::weigh::path::paths;
use crate::weigh::plan::Plan;
use crate::weigh::recording::{BlockRecord, ElsewhereRecord, PhaseRecord, Recording};
use crate::weigh::{exporter, far_host};

/// A warm-up lasts until one of these is reached: caches are filled, workers are started, and the latency is known.
const WARM_UP: Duration = Duration::from_secs(1);
const WARM_UP_REQUESTS: u64 = 20;

/// URLs that take turns within a step of the watch of exporters.
const TURNS: usize = 5;

/// Groups among which the one with the most CPU is looked for between rounds.
const CANDIDATES: usize = 5;

/// What came of it: a result, and why it is not the whole one that was asked for.
pub(crate) struct Outcome {
    pub(crate) result: Weigh,
    /// What was seen inside, page by page, if that was asked for.
    pub(crate) pages: Vec<PageRecord>,
    /// A request failed, after enough blocks for a result.
    pub(crate) failure: Option<Failure>,
    /// The programs that requests went through, each as its process sees it.
    pub(crate) executables: Vec<PathBuf>,
}

/// Weighs.
///
/// # Errors
/// Whatever ended the run before there were enough blocks to show.
pub(crate) fn weigh(options: Options, cancel: &Cancel) -> Result<Outcome, Failure> {
    let progress = Progress::new(options.quiet);
    let requests = options.driver.requests.clone();
    // Before anything is sent: a host that cannot be reached costs nobody a warm-up.
    exporter::check(&options.exporters, options.hosts.iter().map(|host| host.name.as_str()))?;
    let mut sources = far_host::open(&options.hosts, &options.session, options.group_by, cancel, &progress)?;
    let usual = options.settle.unwrap_or(Plan::USUAL_SETTLE);
    sources.extend(exporter::open(&options.exporters, &options.driver.tls, usual)?);
    let mut driver = Driver::start(options.driver.clone())?;

    let since = Since::now();
    progress.say("warming up");
    let mut samples = Vec::with_capacity(requests.len());
    let mut latency = Duration::ZERO;
    for index in 0..requests.len() {
        samples.push(driver.sample(index, cancel)?);
        let warm_up = driver
            .run(index, Stop::after(WARM_UP).or_requests(WARM_UP_REQUESTS), cancel)
            .map_err(|failed| failed.error)?;
        if warm_up.ended == End::Cancelled {
            return Err(Failure::Interrupted { shown: false });
        }
        latency = latency.max(median(warm_up.latencies_ns));
    }

    let mut edges = Edges::new(sources);
    let mut turn = (0..requests.len()).cycle();
    Watch::run(&mut edges, cancel, |time| {
        // What an exporter tells of may be reached by any of them.
        let turns = requests.len().clamp(1, TURNS);
        for url in turn.by_ref().take(turns) {
            let stop = Stop::after(time / turns as u32);
            let sent = driver.run(url, stop, cancel).map_err(|failed| failed.error)?;
            if sent.ended == End::Cancelled {
                return Err(Failure::Interrupted { shown: false });
            }
        }
        Ok(())
    })?;

    progress.say("looking at all processes");
    let mut instrument = Instrument::open(options.group_by)?;
    let mut catalog = Catalog::here(&instrument);
    edges.living().for_each(|source| catalog.add(source));
    let read = instrument.calibrate()?;
    let longest = |of: fn(&dyn EdgeSource) -> Duration| edges.living().map(of).max().unwrap_or_default();
    let known = Known {
        latency,
        read: read.cpu.max(longest(|source| source.read_cpu())),
        edge: longest(|source| source.round_trip().unwrap_or_default()),
        settle: longest(|source| source.settle()),
        urls: requests.len(),
    };
    let plan = Plan::choose(&options, known)?;
    let settle_for = edges
        .living()
        .filter(|source| source.is_settle_notable())
        .filter(|source| options.settle.is_none() && source.settle() == plan.settle && known.settle == plan.settle)
        .map(|source| (source.name().to_owned(), source.settle()))
        .next();
    let elsewhere = edges.living().zip(0..).map(|(source, index)| elsewhere(source, index)).collect();

    let mut run = Run {
        options: &options,
        plan,
        edge: known.edge,
        latency,
        driver,
        instrument,
        catalog,
        edges,
        elsewhere,
        settle_for,
        clock: MachineClock::open(),
        reference: ReferenceWork::start(options.seed),
        cancel,
        progress,
        recording: Recording::default(),
        since,
    };
    let own_cpu = run.instrument.own_cpu();
    let ended = run.blocks(requests.len());
    let probe_cpu = run.instrument.own_cpu().saturating_sub(own_cpu);
    run.finish(ended, &requests, &samples, probe_cpu)
}

struct Run<'a> {
    options: &'a Options,
    plan: Plan,
    /// What the way to other hosts takes at each edge of phases.
    edge: Duration,
    latency: Duration,
    driver: Driver,
    instrument: Instrument,
    /// Whose counters were read, here and elsewhere.
    catalog: Catalog,
    edges: Edges,
    elsewhere: Vec<Elsewhere>,
    /// Whom the settle gap was made longer for.
    settle_for: Option<(String, Duration)>,
    clock: MachineClock,
    reference: ReferenceWork,
    cancel: &'a Cancel,
    progress: Progress,
    recording: Recording,
    /// When the first request was about to be sent.
    since: Since,
}

/// Why the run ended.
enum Stopped {
    /// The budget is spent; if `--until` was not reached, its target and what was.
    Done {
        missed: Option<(f64, f64)>,
    },
    Interrupted,
    Failed(Failure),
}

impl Run<'_> {
    /// Runs blocks until the budget is spent.
    fn blocks(&mut self, urls: usize) -> Stopped {
        let timing = Timing { phase: self.plan.phase, jitter: Timing::JITTER };
        let mut until = self.options.budget.until.map(Until::new);
        let mut reached = f64::INFINITY;
        for (index, block) in Planner::new(self.options.seed, urls, timing).enumerate() {
            match self.block(block) {
                Ok(Some(record)) => self.recording.blocks.push(record),
                Ok(None) => return Stopped::Interrupted,
                Err(failure) => return Stopped::Failed(failure),
            }
            self.reference.between_blocks(self.cancel);
            if !(index + 1).is_multiple_of(urls) {
                continue;
            }
            // Between rounds no phase runs: what is computed here disturbs none.
            let by_url: Vec<Option<(String, Weight)>> = (0..urls).map(|url| self.heaviest(url)).collect();
            let all_known = by_url.iter().all(Option::is_some);
            let heaviest = by_url
                .into_iter()
                .flatten()
                .max_by(|a, b| a.1.per_request.relative_half_width().total_cmp(&b.1.per_request.relative_half_width()));
            self.show(heaviest.as_ref());
            let narrow = match (&mut until, &heaviest) {
                (Some(until), Some((_, weight))) if all_known => {
                    reached = weight.per_request.relative_half_width();
                    until.look(&weight.per_request) == Verdict::Stop
                }
                _ => false,
            };
            if narrow || self.is_spent(urls) {
                let missed = until.filter(|_| !narrow).map(|until| (until.target(), reached));
                return Stopped::Done { missed };
            }
        }
        Stopped::Interrupted
    }

    fn is_spent(&self, urls: usize) -> bool {
        if self.recording.rounds(urls) < self.plan.least_rounds {
            return false;
        }
        let enough_requests =
            self.options.budget.requests.is_some_and(|wanted| self.recording.requests_of_each(urls) >= wanted);
        // A round more would end later than asked for by more than half of it.
        let round = (self.plan.phase + self.edge) * (PHASES_PER_BLOCK * urls) as u32;
        enough_requests || self.recording.elapsed() + round / 2 >= self.plan.time
    }

    /// One block; `None` when cancelled.
    fn block(&mut self, block: BlockPlan) -> Result<Option<BlockRecord>, Failure> {
        let mut phases: [PhaseRecord; PHASES_PER_BLOCK] = Default::default();
        // Between phases: it is in none of their counts.
        let begun = self.clock.read();
        let mut before = self.edge()?;
        let mut elsewhere: Vec<_> = before.elsewhere.iter().map(|read| present(read.is_some())).collect();
        for (position, record) in block.order.positions().into_iter().zip(&mut phases) {
            let tally = match self.phase(block, position)? {
                Some(tally) => tally,
                None => return Ok(None),
            };
            let after = self.edge()?;
            for (at, reading) in elsewhere.iter_mut().zip(&after.elsewhere) {
                at.is_whole &= reading.is_some();
                let times = reading.as_ref().and_then(|reading| reading.times);
                at.times = times.map(|times| at.times.map_or(times, |sum| sum.plus(times)));
            }
            *record = phase_record(tally, &before, &after, &self.catalog);
            before = after;
        }
        let times = self.clock.read().since(&begun);
        Ok(Some(BlockRecord { url: block.target, order: block.order, phases, times, is_left_out: false, elsewhere }))
    }

    /// All counters, here and elsewhere, read at about the same time: the next phase begins when all are.
    fn edge(&mut self) -> Result<Edge, Failure> {
        self.edges.ask();
        let here = self.instrument.read()?;
        let elsewhere = self.edges.answers(&mut self.catalog, self.cancel);
        self.catalog.see_here(&self.instrument);
        Ok(Edge { here, elsewhere })
    }

    /// One phase; `None` when cancelled.
    fn phase(&mut self, block: BlockPlan, position: Position) -> Result<Option<Tally>, Failure> {
        let begun = Instant::now();
        let mut tally = Tally::new();
        let mut end = begun + block.phase;
        if position.is_on() {
            // The last response and the settle gap belong to the phase, so that it ends when planned.
            let sending = block.phase.saturating_sub(self.plan.settle + self.latency);
            let stop = Stop { until: begun + sending, max_requests: None };
            tally = self.driver.run(block.target, stop, self.cancel).map_err(|failed| failed.error)?;
            if tally.ended == End::Cancelled {
                return Ok(None);
            }
            end = end.max(tally.last_done.unwrap_or(begun) + self.plan.settle);
        }
        let cancelled = self.cancel.wait(end.saturating_duration_since(Instant::now()));
        Ok((!cancelled).then_some(tally))
    }

    /// The group with the most CPU of one URL's requests, as far as is known.
    fn heaviest(&self, url: usize) -> Option<(String, Weight)> {
        // Plain sums put them in order, so that pairs of blocks are gone through for few: a noisy background may have
        // the largest sum, and is passed over.
        let sum = |blocks: &[Block]| blocks.iter().map(Block::excess).sum::<f64>();
        let mut groups: Vec<(&String, Vec<Block>)> = self
            .catalog
            .groups()
            .filter(|(_, group)| matches!(group.kind, SeriesKind::Machine | SeriesKind::Processes))
            .filter_map(|(id, group)| {
                let cpu = self.catalog.named(id, "cpu")?;
                Some((&group.name, self.recording.series(url, cpu.source, |phase| phase.of(cpu))))
            })
            .collect();
        groups.sort_by(|a, b| sum(&b.1).total_cmp(&sum(&a.1)));
        let (name, weight) = groups
            .iter()
            .take(CANDIDATES)
            .filter_map(|(name, blocks)| Some((*name, Weight::of(blocks).ok()?)))
            .find(|(_, weight)| weight.per_request.low > 0.0)?;
        Some((name.clone(), weight))
    }

    /// Where the root folder of a group's processes is reached, which may live in a container.
    fn root_of(&self, name: &str) -> Option<PathBuf> {
        let (group, _) = self.instrument.groups().find(|(_, group)| group.name == name)?;
        let member = self.instrument.members(group).next()?;
        Some(PathBuf::from(format!("/proc/{}/root", member.pid)))
    }

    /// The program of a group's processes, by way of their root folder, which may be a container's.
    fn executable_of(&self, group: GroupId) -> Option<PathBuf> {
        let member = self.instrument.members(group).next()?;
        let program = std::fs::read_link(format!("/proc/{}/exe", member.pid)).ok()?;
        Some(PathBuf::from(format!("/proc/{}/root", member.pid)).join(program.strip_prefix("/").ok()?))
    }

    fn show(&self, heaviest: Option<&(String, Weight)>) {
        let elapsed = self.recording.elapsed();
        let done = match self.options.budget.requests {
            Some(wanted) => {
                let of_each = self.recording.requests_of_each(self.options.driver.requests.len());
                of_each as f64 / wanted.max(1) as f64
            }
            None => elapsed.as_secs_f64() / self.plan.time.as_secs_f64(),
        };
        let what = heaviest.map_or("too few blocks yet for an interval".to_owned(), |(group, weight)| {
            let cpu = weight.per_request;
            let quantity = Quantity { kind: unladen_report::Kind::Time, value: cpu.value, margin: cpu.margin() };
            format!("{group} {quantity} (±{:.1} %)", cpu.relative_half_width() * 100.0)
        });
        let planned = self.options.budget.requests.is_none().then_some(self.plan.time);
        self.progress.at(done, elapsed, planned, &what);
    }

    /// Takes leave of the sources elsewhere: what became of them, and what they have to say.
    fn part_with_sources(&mut self, urls: usize) {
        for index in 0..self.elsewhere.len() {
            self.elsewhere[index].spoiled = self.recording.leave_out_spoiled_at(index, urls);
        }
        for (id, _, gone) in self.edges.gone() {
            if let Some(elsewhere) = self.elsewhere.iter_mut().find(|elsewhere| elsewhere.id == id) {
                elsewhere.gone = Some(gone.last_words.clone());
            }
        }
        for (id, note) in self.edges.notes() {
            if let Some(elsewhere) = self.elsewhere.iter_mut().find(|elsewhere| elsewhere.id == id) {
                elsewhere.notes.push(note);
            }
        }
        // Nobody is to be asked any more, and tracing here is disturbed by nothing.
        self.edges.close();
    }

    fn finish(
        mut self,
        ended: Stopped,
        requests: &[Request],
        samples: &[Sample],
        probe_cpu: Duration,
    ) -> Result<Outcome, Failure> {
        let rounds = self.recording.rounds(requests.len());
        let (ended, failure, missed) = match ended {
            Stopped::Done { missed } => (Ended::Complete, None, missed),
            Stopped::Interrupted if rounds >= MIN_BLOCKS => (Ended::Interrupted, None, None),
            Stopped::Interrupted => return Err(Failure::Interrupted { shown: false }),
            Stopped::Failed(failure) if rounds >= MIN_BLOCKS => (Ended::Failed, Some(failure), None),
            Stopped::Failed(failure) => return Err(failure),
        };
        // Before any figure is looked at.
        let spoiled = self.recording.leave_out_spoiled(requests.len());
        let lost = self.instrument.newly_lost() > 0;
        self.part_with_sources(requests.len());
        let is_alone = self.elsewhere.iter().all(|elsewhere| elsewhere.is_exporter);
        let paths = paths(self.options, &mut self.instrument, ended, is_alone, self.cancel, &self.progress);
        let measured = Measured {
            options: self.options,
            plan: self.plan,
            recording: &self.recording,
            spoiled: &spoiled,
            reference: &self.reference,
            instrument: &self.instrument,
            catalog: &self.catalog,
            elsewhere: &self.elsewhere,
            requests,
            samples,
            paths: &paths,
            remote: (0..requests.len())
                .filter(|index| self.driver.target(*index).is_some_and(|target| !target.is_local()))
                .collect(),
            settle_for: self.settle_for.clone(),
            probe_cpu,
            missed,
            lost,
            ended,
        };
        let mut result = analyse(&measured);
        let mut pages = Vec::new();
        if self.options.inside && failure.is_none() && ended == Ended::Complete {
            pages = look_inside(Weighed {
                options: self.options,
                settle: self.plan.settle,
                driver: &mut self.driver,
                instrument: &mut self.instrument,
                cancel: self.cancel,
                progress: &self.progress,
                requests,
                samples,
                paths: &paths,
                result: &result,
            });
            self.progress.clear();
            for (url, page) in result.urls.iter_mut().zip(&pages) {
                url.inside = Some(inside(page));
                if let Some(inside) = &mut url.inside {
                    inside.unjudged.extend(self.elsewhere.iter().map(not_traced));
                }
            }
            if self.cancel.is_cancelled() {
                result.ended = Ended::Interrupted;
            }
        }
        let evidence: Vec<_> = pages.iter().flat_map(|page| std::iter::once(&page.warm).chain(&page.fresh)).collect();
        let is_looked_for = !pages.is_empty() && pages.iter().all(|page| page.warm.has(EvidenceSource::Syscalls));
        result.left_behind = is_looked_for.then(|| left_behind(&evidence, self.since, |name| self.root_of(name)));
        result.warnings.extend(strangers(&self.driver));
        let on_path: BTreeSet<GroupId> = paths.iter().flat_map(|path| path.groups.iter().copied()).collect();
        let executables = on_path.into_iter().filter_map(|group| self.executable_of(group)).collect();
        Ok(Outcome { result, pages, failure, executables })
    }
}

fn elsewhere(source: &dyn EdgeSource, index: usize) -> Elsewhere {
    Elsewhere {
        id: SourceId::elsewhere(index),
        name: source.name().to_owned(),
        is_exporter: source.kind() == SourceKind::Exporter,
        round_trip: source.round_trip(),
        processors: source.processors(),
        gone: None,
        spoiled: None,
        notes: Vec::new(),
    }
}

/// A block of a source that is there as it begins.
fn present(is_there: bool) -> ElsewhereRecord {
    ElsewhereRecord { is_whole: is_there, times: is_there.then(Default::default), is_left_out: false }
}

/// What was not looked into, so that no finding is no claim about it.
fn not_traced(elsewhere: &Elsewhere) -> Unjudged {
    Unjudged {
        what: elsewhere.name.clone(),
        why: "its counters are read, and what its processes do is not traced from here".to_owned(),
        takes: if elsewhere.is_exporter { String::new() } else { "unladen there".to_owned() },
        rules: Vec::new(),
        is_elsewhere: true,
    }
}

/// Readings at the same edge of a phase.
struct Edge {
    here: Reading,
    elsewhere: Vec<Option<EdgeReading>>,
}

fn phase_record(tally: Tally, before: &Edge, after: &Edge, catalog: &Catalog) -> PhaseRecord {
    let grown_here = after.here.since(&before.here);
    let mut grown: HashMap<SeriesKey, f64> =
        grown_here.map(|(group, counter, grown)| (SeriesKey::here(group, counter), grown as f64)).collect();
    let mut durations_elsewhere_ns = Vec::with_capacity(after.elsewhere.len());
    for (index, (before, after)) in before.elsewhere.iter().zip(&after.elsewhere).enumerate() {
        let (Some(before), Some(after)) = (before, after) else {
            durations_elsewhere_ns.push(0);
            continue;
        };
        durations_elsewhere_ns.push(after.at_ns.saturating_sub(before.at_ns));
        let source = SourceId::elsewhere(index);
        for (series, by) in after.grown.iter().filter(|(_, by)| by.is_finite()) {
            if let Some(key) = catalog.series(source, *series) {
                *grown.entry(key).or_default() += by;
            }
        }
    }
    PhaseRecord {
        start_ns: before.here.at_ns(),
        duration_ns: after.here.at_ns().saturating_sub(before.here.at_ns()),
        durations_elsewhere_ns,
        requests: tally.requests,
        grown,
        latencies_ns: tally.latencies_ns,
        changed: tally.changed,
        connections: tally.connections_opened,
        reconnected: tally.closed_by_server,
    }
}

fn median(mut latencies_ns: Vec<u64>) -> Duration {
    latencies_ns.sort_unstable();
    Duration::from_nanos(latencies_ns.get(latencies_ns.len() / 2).copied().unwrap_or(0))
}
