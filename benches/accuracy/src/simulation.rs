//! `simulate`: many simulated runs, and the tables that tell of them.

use std::path::Path;
use std::time::Instant;

use unladen_accuracy::background::Kind;
use unladen_accuracy::document::{DocumentError, put};
use unladen_accuracy::hosts::Way;
use unladen_accuracy::simulate::{self, Scene};
use unladen_accuracy::subject::Costs;
use unladen_accuracy::{Limits, Table, psdbench};

use crate::comparing;
use crate::tables::{Make, bias, cells, in_parallel, judge, percent};

/// As `weigh` does in 16, 30 and 120 s.
const BLOCKS: [usize; 3] = [8, 15, 60];
/// So many times fewer runs where one takes long.
const FEWER: u64 = 10;
/// Of runs on a machine of many groups; the fewest are too few to find any.
const GROUP_BLOCKS: [usize; 4] = [8, 10, 15, 60];
/// Beyond this target a bias under 1 % is not promised: it would be a small part of what is asked for.
const COARSEST_PROMISED: f64 = 0.05;
/// Targets, by what can be reached beside a background within five minutes, and which takes long to find out.
const UNTIL: [(Kind, f64, u64); 12] = [
    (Kind::Quiet, 0.02, 1),
    (Kind::Quiet, 0.05, 1),
    (Kind::Steady, 0.02, FEWER),
    (Kind::Steady, 0.05, 1),
    (Kind::Drifting, 0.02, 1),
    (Kind::Drifting, 0.05, 1),
    (Kind::Periodic, 0.05, FEWER),
    (Kind::Periodic, 0.20, 1),
    (Kind::Bursty, 0.05, FEWER),
    (Kind::Bursty, 0.20, 1),
    (Kind::HeavyTailed, 0.05, FEWER),
    (Kind::HeavyTailed, 0.20, 1),
];

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Runs of each row; a tenth of them where a run takes long
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    runs: u64,
    /// Only the tables of these names
    #[arg(long, value_name = "TABLE", value_delimiter = ',')]
    only: Vec<String>,
}

/// The tables, by the names of their places in the document.
const TABLES: [(&str, Make); 7] = [
    ("coverage", coverage),
    ("hosts", hosts),
    ("until", until),
    ("discoveries", |runs, _| discoveries(runs)),
    ("groups", |runs, _| groups(runs / FEWER)),
    ("skew", |runs, _| skew(runs / FEWER)),
    ("psdbench", |runs, _| predecessor(runs)),
];

/// Whether what is promised is held.
pub(crate) fn prove(args: &Args, document: &Path) -> Result<bool, DocumentError> {
    let begun = Instant::now();
    let mut broken = Vec::new();
    for (name, make) in TABLES.into_iter().chain(comparing::TABLES) {
        if args.only.is_empty() || args.only.iter().any(|only| only == name) {
            let table = make(args.runs, &mut broken);
            eprintln!("{name} ({:.0} s)\n{table}", begun.elapsed().as_secs_f64());
            put(document, name, &table.to_string())?;
        }
    }
    let runs = format!(
        "The tables of this part are of {} runs a row ({} for groups and dear requests; {} for other hosts; {} and {} for comparisons).",
        args.runs,
        args.runs / FEWER,
        args.runs / comparing::FEWER,
        args.runs / comparing::FEWER,
        args.runs / comparing::FEWEST,
    );
    put(document, "runs", &runs)?;
    for broken in &broken {
        eprintln!("not as promised: {broken}");
    }
    Ok(broken.is_empty())
}

fn coverage(runs: u64, broken: &mut Vec<String>) -> Table {
    let mut table = Table::new(["background", "blocks", "covers", "(95 % interval)", "bias", "mean ±"]);
    for (background, blocks) in Kind::ALL.into_iter().flat_map(|kind| BLOCKS.map(|blocks| (kind, blocks))) {
        let scene = Scene::of(background);
        let tally = in_parallel(runs, |part| simulate::fixed(&scene, blocks, part));
        judge(&tally, &Limits::PROMISED, &format!("{}, {blocks} blocks", background.name()), broken);
        let mut row = vec![background.name().to_owned(), blocks.to_string()];
        row.extend(cells(&tally));
        table.row(row);
    }
    table
}

/// Coverage and bias of what a request costs on another machine, and on both.
fn hosts(runs: u64, broken: &mut Vec<String>) -> Table {
    let mut table = Table::new([
        "background there",
        "the way",
        "blocks",
        "there: covers",
        "(95 % interval)",
        "bias",
        "mean ±",
        "both: covers",
        "bias",
        "blocks lost",
    ]);
    let ways = [(Way::TOWN, "20 ± 2 ms"), (Way::BAD, "the same, late, lost")];
    let rows = Kind::ALL.into_iter().flat_map(|kind| ways.map(|(way, name)| (kind, way, name)));
    for ((background, way, name), blocks) in rows.flat_map(|row| [BLOCKS[1], BLOCKS[2]].map(|blocks| (row, blocks))) {
        let weighed = in_parallel(runs / comparing::FEWER, |part| way.weigh(background, blocks, part));
        let what = format!("on another machine, {}, {name}, {blocks} blocks", background.name());
        judge(&weighed.there, &Limits::PROMISED, &what, broken);
        judge(&weighed.both, &Limits::PROMISED, &format!("{what}: both"), broken);
        let mut row = vec![background.name().to_owned(), name.to_owned(), blocks.to_string()];
        row.extend(cells(&weighed.there));
        row.extend([percent(weighed.both.coverage()), bias(&weighed.both)]);
        row.push(percent(weighed.lost.0 as f64 / weighed.lost.1.max(1) as f64));
        table.row(row);
    }
    table
}

fn until(runs: u64, broken: &mut Vec<String>) -> Table {
    let mut table = Table::new([
        "background",
        "until",
        "runs",
        "reached",
        "mean time",
        "covers",
        "(95 % interval)",
        "bias",
        "mean ±",
    ]);
    for (background, target, fewer) in UNTIL {
        let scene = Scene::of(background);
        let runs = runs / fewer;
        let stopped = in_parallel(runs, |part| simulate::until(&scene, target, part));
        let is_promised = target <= COARSEST_PROMISED;
        let target = format!("{:.0} %", target * 100.0);
        if is_promised {
            judge(&stopped.tally, &Limits::PROMISED, &format!("{}, until {target}", background.name()), broken);
        }
        let mut row = vec![
            background.name().to_owned(),
            target,
            runs.to_string(),
            percent(stopped.reached as f64 / runs as f64),
            format!("{:.0} s", stopped.time / runs as f64),
        ];
        row.extend(cells(&stopped.tally));
        table.row(row);
    }
    table
}

fn discoveries(runs: u64) -> Table {
    let mut table = Table::new(["counter", "blocks", "said to follow", "said to be displaced"]);
    for (background, blocks) in Kind::ALL.into_iter().flat_map(|kind| BLOCKS.map(|blocks| (kind, blocks))) {
        let scene = Scene::of(background);
        let said = in_parallel(runs, |part| simulate::discoveries(&scene, blocks, part));
        let share = |of: u64| percent(of as f64 / said.counters as f64);
        table.row([background.name().to_owned(), blocks.to_string(), share(said.follow), share(said.displaced)]);
    }
    table
}

fn groups(runs: u64) -> Table {
    let mut table = Table::new([
        "blocks",
        "false among groups said to follow",
        "found of those that do",
        "false among their counters",
        "found of those that do",
    ]);
    for blocks in GROUP_BLOCKS {
        let said = in_parallel(runs, |part| simulate::groups(blocks, part));
        let found = |(all, found): (u64, u64)| percent(found as f64 / all as f64);
        table.row([
            blocks.to_string(),
            percent(said.false_groups / said.runs as f64),
            found(said.groups),
            percent(said.false_counters / said.runs as f64),
            found(said.counters),
        ]);
    }
    table
}

fn skew(runs: u64) -> Table {
    let mut table =
        Table::new(["dear requests", "background", "blocks", "covers", "(95 % interval)", "bias", "mean ±", "warned"]);
    let costs = [(Costs::RarelyDear, "1 % cost 10 ×"), (Costs::SeldomVeryDear, "0.1 % cost 100 ×")];
    let rows = costs.into_iter().flat_map(|(costs, name)| {
        [Kind::Quiet, Kind::Bursty]
            .into_iter()
            .flat_map(move |background| [15, 60, 150].map(|blocks| (Scene { background, costs }, name, blocks)))
    });
    for (scene, name, blocks) in rows {
        let (tally, warned) = in_parallel(runs, |part| {
            let warned = simulate::skewed(&scene, blocks, part.clone()) * (part.end - part.start) as f64;
            (simulate::fixed(&scene, blocks, part), warned)
        });
        let mut row = vec![name.to_owned(), scene.background.name().to_owned(), blocks.to_string()];
        row.extend(cells(&tally));
        row.push(percent(warned / runs as f64));
        table.row(row);
    }
    table
}

fn predecessor(runs: u64) -> Table {
    let mut table =
        Table::new(["background", "cycles", "covers", "bias", "mean ± (its SD)", "would cover with a standard error"]);
    let rows = Kind::ALL
        .into_iter()
        .flat_map(|kind| [(0.5, 30), (5.0, 6)].map(|(phase, cycles)| (kind, phase, cycles, 0.0)))
        .chain([(Kind::Steady, 0.5, 30, 0.4)]);
    for (background, phase, cycles, short_lived) in rows {
        let scene = Scene::of(background);
        let shape = psdbench::Cycles { phase, cycles, short_lived };
        let (printed, proper) = in_parallel(runs, |part| psdbench::runs(&scene, &shape, part));
        let name = background.name();
        table.row([
            if short_lived > 0.0 { format!("{name}, {short_lived:.1} of the cost short-lived") } else { name.into() },
            format!("{cycles} × 2 × {phase} s"),
            percent(printed.coverage()),
            bias(&printed),
            percent(printed.half_width()),
            percent(proper.coverage()),
        ]);
    }
    table
}
