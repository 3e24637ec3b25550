//! A fleet's purges over each engine: how soon all nodes have confirmed one, and what that costs whom.

mod nodes;
mod steps;
mod wire;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use self::nodes::Nodes;
use self::steps::Steps;
use self::wire::Wire;
use crate::contestant::{Contestant, Manner};
use crate::figures::{Series, print, three};
use crate::processes::Processes;
use crate::running::{Listen, Ports, Running};
use crate::scratch::ScratchFolder;
use crate::{Bench, Options, Result};

pub(crate) const BENCH: Bench =
    Bench { name: "fleet", about: "purges over Valkey or Redis, PostgreSQL and NATS, with five nodes", run };

const NODES: usize = 5;
/// As `[fleet]` has it by itself.
const LEASE: Duration = Duration::from_secs(2);
/// Purges of a round, one after the other: five rounds have enough of them for a p99.
const PURGES: usize = 100;
/// Between two of them, so that they do not follow the nodes' beats.
const PAUSES: std::ops::Range<u64> = 10..40;
/// What is idle is looked at for so long.
const IDLE: Duration = Duration::from_secs(4);
/// Purges are written as fast as can be for so long.
const BUSY: Duration = Duration::from_secs(2);
/// Written at once, at most, as a node does.
const AT_ONCE: usize = 100;
/// Of two fleets, what a purge costs the engine tells what it costs for each node.
const FEW_AND_MANY: [usize; 2] = [2, 12];
/// Nodes that are in the list besides.
const LISTED: usize = 60;
/// How often each step is done.
const STEPS: usize = 150;

/// Measures a part of it.
type Part = fn(&Engine, &mut Figures) -> Result<()>;

const PARTS: [(&str, Part); 4] = [("delays", delays), ("idle nodes", idle), ("rates", rates), ("steps", units)];

/// What is shown of each engine, by headings.
const SHOWN: [(&str, &[&str]); 3] = [
    ("purges in quiet", &["p50 ms", P99, "engine's CPU µs", "each node's CPU µs"]),
    (
        "a node, each second",
        &["its engine's CPU µs", "own CPU µs", "bytes", "pieces", "purges/s, one by one", "a hundred at once"],
    ),
    ("engine's CPU µs", &["write a purge", "a node reads and confirms it", "a beat", "a look", "each node in it"]),
];
const P99: &str = "p99 ms (95 % interval)";

/// What one engine came to.
#[derive(Default)]
struct Figures {
    delays: Vec<f64>,
    /// By headings.
    series: BTreeMap<&'static str, Series>,
}

impl Figures {
    fn push(&mut self, heading: &'static str, value: f64) {
        self.series.entry(heading).or_default().push(value);
    }
}

fn run(options: &Options) -> Result<()> {
    let scratch = ScratchFolder::new()?;
    let mut ports = Ports::new();
    let mut engines = Vec::new();
    for contestant in Contestant::all(BENCH.name, &[])? {
        let name = contestant.name.clone();
        match Engine::start(contestant, &scratch, ports.free()?) {
            Ok(engine) => engines.push((engine, Figures::default())),
            Err(error) => println!("  (without {name}: {error})"),
        }
    }
    let (rounds, mut left_out) = (options.rounds_or(5), 0);
    for round in 0..rounds {
        for (engine, figures) in &mut engines {
            eprintln!("round {round}: {}", engine.name);
            for (what, part) in PARTS {
                // On a machine that has more to do than it can, an engine may not answer in time.
                if let Err(error) = part(engine, figures) {
                    println!("  (round {round} of {} is without {what}: {error})", engine.name);
                    left_out += 1;
                }
            }
        }
    }
    if left_out * 4 > rounds * engines.len() * PARTS.len() {
        return Err("more than a fourth is left out".into());
    }
    show(&mut engines);
    Ok(())
}

/// What carries the purges.
struct Engine {
    name: String,
    port: u16,
    /// As `[fleet]` names it.
    url: String,
    running: Running,
}

impl Engine {
    fn start(contestant: Contestant, scratch: &ScratchFolder, port: u16) -> Result<Self> {
        let told = serde_json::json!({ "port": port });
        let running = contestant.start(scratch, &told, &[Listen::Tcp(port)], Manner::default())?;
        // It listens before it answers.
        std::thread::sleep(Duration::from_secs(1));
        let url = contestant.url(port, scratch)?;
        Ok(Self { name: contestant.name, port, url, running })
    }

    /// At this port of 127.0.0.1.
    fn url(&self, port: u16) -> String {
        self.url.replace(&format!(":{}", self.port), &format!(":{port}"))
    }
}

/// Quiet: one purge after the other, for which all five nodes are waited.
fn delays(engine: &Engine, figures: &mut Figures) -> Result<()> {
    let nodes = Nodes::start(&engine.url(engine.port), NODES, LEASE)?;
    let mut took = Vec::with_capacity(PURGES);
    let (began, before) = (Instant::now(), cpu(engine)?);
    for number in 0..PURGES {
        took.push(nodes.purge(number)?.as_secs_f64() * 1e3);
        nodes::pause(PAUSES);
    }
    let (busy, [server, own]) = (began.elapsed(), less(cpu(engine)?, before));
    let idle = idle_cpu(engine, IDLE / 2)?;
    let net = |spent: f64, idle: f64| (spent - idle * busy.as_secs_f64()).max(0.0) / PURGES as f64 * 1e6;
    figures.push("engine's CPU µs", net(server, idle[0]));
    figures.push("each node's CPU µs", net(own, idle[1]) / NODES as f64);
    took.sort_by(f64::total_cmp);
    figures.push("p50 ms", took[PURGES / 2]);
    figures.delays.extend(took);
    Ok(())
}

/// Nothing is purged: what the nodes' beats cost, and what of them goes over the wire.
fn idle(engine: &Engine, figures: &mut Figures) -> Result<()> {
    let wire = Wire::to(engine.port)?;
    let _nodes = Nodes::start(&engine.url(wire.port()), NODES, LEASE)?;
    let before = wire.passed();
    let spent = idle_cpu(engine, IDLE)?;
    let after = wire.passed();
    let each = IDLE.as_secs_f64() * NODES as f64;
    figures.push("its engine's CPU µs", spent[0] * 1e6 / NODES as f64);
    figures.push("own CPU µs", spent[1] * 1e6 / NODES as f64);
    figures.push("bytes", (after.0 - before.0) as f64 / each);
    figures.push("pieces", (after.1 - before.1) as f64 / each);
    Ok(())
}

/// How many purges the engine takes a second: each waited for, and a hundred at once.
fn rates(engine: &Engine, figures: &mut Figures) -> Result<()> {
    let url = engine.url(engine.port);
    figures.push("purges/s, one by one", nodes::publish(&url, 1, BUSY)?);
    figures.push("a hundred at once", nodes::publish(&url, AT_ONCE, BUSY)?);
    Ok(())
}

/// What single steps cost the engine, one round of all nodes after the other, for the simulation of fleets that no machine
/// here could hold: an engine that is busy is warm.
fn units(engine: &Engine, figures: &mut Figures) -> Result<()> {
    let url = engine.url(engine.port);
    let spent = |times: usize, step: &mut dyn FnMut() -> Result<()>| -> Result<f64> {
        step()?;
        let before = cpu(engine)?;
        (0..times).try_for_each(|_| step())?;
        Ok(less(cpu(engine)?, before)[0] / times as f64 * 1e6)
    };
    let [few, many] = FEW_AND_MANY;
    let mut steps = Steps::start(&url, few)?;
    let with_few = spent(STEPS, &mut || steps.purge())?;
    drop(steps);
    let mut steps = Steps::start(&url, many)?;
    let with_many = spent(STEPS, &mut || steps.purge())?;
    let each = (with_many - with_few) / (many - few) as f64;
    figures.push("a node reads and confirms it", each);
    figures.push("write a purge", (with_few - each * few as f64).max(0.0));
    figures.push("a beat", spent(STEPS, &mut || steps.beat())? / many as f64);
    let short = spent(STEPS, &mut || steps.look())?;
    let listed = Steps::start(&url, LISTED)?;
    let long = spent(STEPS, &mut || steps.look())?;
    drop(listed);
    let each = ((long - short) / LISTED as f64).max(0.0);
    figures.push("each node in it", each);
    figures.push("a look", (short - each * many as f64).max(0.0));
    Ok(())
}

/// Seconds of the engine's processes, and of this one, which all nodes are in.
fn cpu(engine: &Engine) -> Result<[f64; 2]> {
    // Without its children, which the engines are.
    let own = Processes(vec![std::process::id()]);
    Ok([engine.running.processes().cpu()?.as_secs_f64(), own.cpu()?.as_secs_f64()])
}

fn less(after: [f64; 2], before: [f64; 2]) -> [f64; 2] {
    [(after[0] - before[0]).max(0.0), (after[1] - before[1]).max(0.0)]
}

/// A second of both, while nothing is done.
fn idle_cpu(engine: &Engine, time: Duration) -> Result<[f64; 2]> {
    let before = cpu(engine)?;
    std::thread::sleep(time);
    Ok(less(cpu(engine)?, before).map(|spent| spent / time.as_secs_f64()))
}

fn show(engines: &mut [(Engine, Figures)]) {
    let build =
        if cfg!(debug_assertions) { "a build without optimisation: nodes cost more than they do" } else { "release" };
    println!("  nodes: {build}");
    for (title, headings) in SHOWN {
        let row = |(engine, figures): &mut (Engine, Figures)| {
            figures.delays.sort_by(f64::total_cmp);
            let p99 = quantile(&figures.delays, 0.99).map_or_else(
                || format!("– (of {} purges)", figures.delays.len()),
                |(at, low, high)| format!("{} ({} – {})", three(at), three(low), three(high)),
            );
            let cell = |heading: &&str| match figures.series.get(heading) {
                Some(series) => series.to_string(),
                None if *heading == P99 => p99.clone(),
                None => "–".to_owned(),
            };
            [engine.name.clone()].into_iter().chain(headings.iter().map(cell)).collect()
        };
        println!();
        print(&[&[title], headings].concat(), &engines.iter_mut().map(row).collect::<Vec<_>>());
    }
    println!("\n  aim: p99 of a purge in quiet at most 20 ms");
}

/// A quantile with its 95 % interval, by order alone; none: there are too few.
fn quantile(sorted: &[f64], share: f64) -> Option<(f64, f64, f64)> {
    let count = sorted.len() as f64;
    let half = 1.96 * (count * share * (1.0 - share)).sqrt();
    let at = |rank: f64| sorted.get((rank.ceil() as usize).checked_sub(1)?).copied();
    Some((at(count * share)?, at((count * share - half).max(1.0))?, at(count * share + half)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_of_too_few_is_none() {
        let values: Vec<f64> = (1..=500).map(f64::from).collect();
        assert_eq!(quantile(&values, 0.99), Some((495.0, 491.0, 500.0)));
        assert_eq!(quantile(&values[..100], 0.99), None);
        assert_eq!(quantile(&values[..100], 0.5), Some((50.0, 41.0, 60.0)));
    }
}
