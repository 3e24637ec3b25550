//! Runs the phases: [`weigh`] reads the counters at their edges and drives the client between them.

mod blocks;
mod finish;
mod hosts_path;

use std::path::PathBuf;
use std::time::Duration;

use unladen_document::Answer;
use unladen_finding::Finding;
use unladen_load::{Cancel, Driver, DriverConfig, End, Sample, Stop};
use unladen_machine::MachineClock;
use unladen_probe::{Instrument, Own};
use unladen_report::Weigh;
use unladen_trace::{Interval, PageRecord};

use crate::answered::compared_with_a_browsers;
use crate::exit::Failure;
use crate::machine::ReferenceWork;
use crate::progress::Progress;
use crate::say::say;
use crate::weigh::catalog::{Catalog, SourceId};
use crate::weigh::edge::{EdgeSource, SourceKind};
use crate::weigh::edges::{Edges, watch};
use crate::weigh::left_behind::Since;
use crate::weigh::measured::Elsewhere;
use crate::weigh::options::Options;
use crate::weigh::plan::{Known, Plan};
use crate::weigh::recording::Recording;
use crate::weigh::{exporter, far_host};

/// URLs that take turns within a step of the watch of exporters.
const TURNS: usize = 5;

/// Fails with whatever ended the run before there were enough blocks to show.
pub(crate) fn weigh(options: Options, cancel: &Cancel) -> Result<Outcome, Failure> {
    let progress = Progress::new(options.quiet);
    let requests = options.driver.requests.clone();
    // Before anything is sent: an unreachable host costs nobody a warm-up.
    exporter::check(&options.exporters, options.hosts.iter().map(|host| host.name.as_str()))?;
    let mut sources = far_host::open(&options.hosts, &options.session, options.group_by, cancel, &progress)?;
    let usual = options.settle.unwrap_or(Plan::USUAL_SETTLE);
    sources.extend(exporter::open(&options.exporters, &options.driver.tls, usual)?);
    let mut driver = Driver::start(options.driver.clone())?;

    let since = Since::now();
    progress.say("warming up");
    let WarmUp { samples, answers, latency } = WarmUp::run(&mut driver, &options.driver, cancel)?;

    let mut edges = Edges::new(sources);
    if !options.exporters.is_empty() {
        progress.say("measuring how old the exporters' values are, for about a minute");
    }
    let mut turn = (0..requests.len()).cycle();
    watch(&mut edges, cancel, |time| {
        // Any of the URLs may reach what an exporter reports.
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

    progress.say("finding all processes");
    let own = edges.living().filter_map(|source| source.carrier()).fold(Own::new(), Own::with_tree);
    let mut instrument = Instrument::open_with(options.group_by, own)?;
    let mut catalog = Catalog::here(&instrument);
    edges.living().for_each(|source| catalog.add(source));
    let read = instrument.calibrate()?;
    let known = known(&edges, latency, read.cpu, requests.len());
    let plan = Plan::choose(&options, &known)?;
    if let Some(announcement) = plan.announcement().filter(|_| !options.quiet) {
        progress.clear();
        say!("unladen: {announcement}");
    }
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
        missed: None,
    };
    let own_cpu = run.instrument.own_cpu();
    let ended = run.blocks(requests.len());
    let probe_cpu = run.instrument.own_cpu().saturating_sub(own_cpu);
    run.finish(ended, &requests, (&samples, answers), probe_cpu)
}

fn known(edges: &Edges, latency: Duration, read: Duration, urls: usize) -> Known {
    let longest =
        |of: fn(&dyn EdgeSource) -> Duration| edges.living().max_by_key(|source| of(*source)).map(|at| (of(at), at));
    let edge = longest(|source| source.round_trip().unwrap_or_default());
    let settle = longest(|source| source.settle());
    Known {
        latency,
        read: longest(|source| source.read_cpu()).map_or(read, |(there, _)| there.max(read)),
        edge: edge.map(|(edge, _)| edge).unwrap_or_default(),
        settle: settle.map(|(settle, _)| settle).unwrap_or_default(),
        edge_of: edge.map(|(_, source)| source.name().to_owned()),
        settle_of: settle.map(|(_, source)| (source.name().to_owned(), source.kind())),
        urls,
    }
}

struct Run<'a> {
    options: &'a Options,
    plan: Plan,
    /// Time for other hosts at each edge of phases.
    edge: Duration,
    latency: Duration,
    driver: Driver,
    instrument: Instrument,
    catalog: Catalog,
    edges: Edges,
    elsewhere: Vec<Elsewhere>,
    settle_for: Option<(String, Duration)>,
    clock: MachineClock,
    reference: ReferenceWork,
    cancel: &'a Cancel,
    progress: Progress,
    recording: Recording,
    /// Just before the first request.
    since: Since,
    /// `--until`: the target, and what was reached instead.
    missed: Option<(f64, f64)>,
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
        standpoint: source.standpoint().cloned(),
        has_lost: false,
        notes: Vec::new(),
    }
}

/// A result, and why it is not the complete one that was asked for.
pub(crate) struct Outcome {
    pub(crate) result: Weigh,
    pub(crate) pages: Vec<PageRecord>,
    /// Of each page, in the same order; empty if nobody looked inside.
    pub(crate) found: Vec<Found>,
    /// A request failed, after enough blocks for a result.
    pub(crate) failure: Option<Failure>,
    /// The programs that requests went through, each as its process sees it.
    pub(crate) executables: Vec<PathBuf>,
}

/// The rules' findings of a page.
pub(crate) struct Found {
    /// Mean latency without tracing, in ns.
    pub(crate) latency: Option<Interval>,
    pub(crate) warm: Vec<Finding>,
    /// Of first requests of fresh processes.
    pub(crate) fresh: Vec<Finding>,
}

/// A warm-up ends at the first of these: caches are then full, workers started, and the latency is known.
const TIME: Duration = Duration::from_secs(1);
const REQUESTS: u64 = 20;

pub(super) struct WarmUp {
    pub(super) samples: Vec<Sample>,
    pub(super) answers: Vec<Answer>,
    /// The median latency of the slowest URL.
    pub(super) latency: Duration,
}

impl WarmUp {
    /// Sends some requests to each URL, one after another. Fails if a request fails, or it is cancelled.
    pub(super) fn run(driver: &mut Driver, config: &DriverConfig, cancel: &Cancel) -> Result<Self, Failure> {
        let (mut samples, mut answers) = (Vec::new(), Vec::new());
        let mut latency = Duration::ZERO;
        for index in 0..config.requests.len() {
            let (sample, answer) = compared_with_a_browsers(driver, config, index, cancel)?;
            samples.push(sample);
            answers.push(answer);
            let warm_up =
                driver.run(index, Stop::after(TIME).or_requests(REQUESTS), cancel).map_err(|failed| failed.error)?;
            if warm_up.ended == End::Cancelled {
                return Err(Failure::Interrupted { shown: false });
            }
            latency = latency.max(median(warm_up.latencies_ns));
        }
        Ok(Self { samples, answers, latency })
    }
}

fn median(mut latencies_ns: Vec<u64>) -> Duration {
    latencies_ns.sort_unstable();
    Duration::from_nanos(latencies_ns.get(latencies_ns.len() / 2).copied().unwrap_or(0))
}
