//! Runs the phases: [`weigh`] reads the counters at their edges and drives the client between them.

mod blocks;
mod finish;
mod heaviest;
mod hosts_path;
mod outcome;
mod programs;
mod readings;
mod stopped;
mod warm_up;

use std::time::Duration;

use unladen_load::{Cancel, Driver, End, Stop};
use unladen_machine::MachineClock;
use unladen_probe::{Instrument, Own};

pub(crate) use self::outcome::{Found, Outcome};

use self::warm_up::WarmUp;
use crate::exit::Failure;
use crate::progress::Progress;
use crate::reference::ReferenceWork;
use crate::say::say;
use crate::weigh::catalog::{Catalog, SourceId};
use crate::weigh::edge::{EdgeSource, SourceKind};
use crate::weigh::edges::{Edges, Watch};
use crate::weigh::elsewhere::Elsewhere;
use crate::weigh::known::Known;
use crate::weigh::left_behind::Since;
use crate::weigh::options::Options;
use crate::weigh::plan::Plan;
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
        progress.say("watching how old the values of exporters are, for a minute or so");
    }
    let mut turn = (0..requests.len()).cycle();
    Watch::run(&mut edges, cancel, |time| {
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

    progress.say("looking at all processes");
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
