//! The part of `simulate` that is about comparisons: its tables.

use unladen_accuracy::background::Kind;
use unladen_accuracy::comparison::{FIVE_MINUTES, Machine, QUANTILES, Said, Setting};
use unladen_accuracy::stolen::Robbed;
use unladen_accuracy::{Limits, Table, counting};

use crate::tables::{Make, bias, cells, in_parallel, judge, percent};

/// How many times slower the candidate is whose ratio is estimated.
const RATIO: f64 = 1.02;
/// So many times fewer runs than in other tables: each has twelve thousand latencies.
pub(crate) const FEWER: u64 = 4;
/// And of those for the share of changes found.
pub(crate) const FEWEST: u64 = 10;
/// Most experiments of equal arms in which any difference may be called.
const MOST_FALSE: f64 = 0.05;
/// Most experiments in which a metric that differs by more than the margin of equality may be said not to differ.
const MOST_FALSE_EQUAL: f64 = 0.05;
/// Differences beyond that margin: as near to it as there is, where equality is said wrongly most often, and far from it.
const BEYOND: [f64; 2] = [1.0501, 1.1];
/// Least share found where it is said to be near all.
const NEAR_ALL: f64 = 0.95;
/// Bursts and eight blocks: few blocks decide, and Student's intervals are then too wide, not too narrow.
const CAUTIOUS: Limits = Limits { coverage: (0.93, 0.99), ..Limits::PROMISED };

const SETTINGS: [Setting; 13] = [
    Setting::once(Machine::Quiet, 8),
    Setting::once(Machine::Quiet, FIVE_MINUTES),
    Setting::once(Machine::Wandering, 8),
    Setting::once(Machine::Wandering, FIVE_MINUTES),
    Setting::once(Machine::Drifting, 8),
    Setting::once(Machine::Drifting, FIVE_MINUTES),
    Setting::once(Machine::Bursty, 8),
    Setting::once(Machine::Bursty, FIVE_MINUTES),
    Setting::once(Machine::Noisy, FIVE_MINUTES),
    Setting { machine: Machine::Wandering, restarts: 2, blocks: 10 },
    Setting { machine: Machine::Wandering, restarts: 3, blocks: 10 },
    Setting { machine: Machine::Wandering, restarts: 5, blocks: 10 },
    Setting { machine: Machine::Noisy, restarts: 10, blocks: 5 },
];

/// What is to be found, and whether it is said to be found nearly always.
const FOUND: [(Setting, f64, bool); 8] = [
    (Setting::once(Machine::Quiet, FIVE_MINUTES), 1.01, false),
    (Setting::once(Machine::Quiet, FIVE_MINUTES), 1.02, true),
    (Setting::once(Machine::Wandering, FIVE_MINUTES), 1.01, false),
    (Setting::once(Machine::Wandering, FIVE_MINUTES), 1.02, true),
    (Setting::once(Machine::Drifting, FIVE_MINUTES), 1.02, true),
    (Setting::once(Machine::Noisy, FIVE_MINUTES), 1.02, false),
    (Setting::once(Machine::Noisy, FIVE_MINUTES), 1.05, true),
    (Setting { machine: Machine::Wandering, restarts: 5, blocks: 10 }, 1.05, true),
];

/// How often time is stolen, and whether CPU times are promised to be right: where more than half of the blocks are
/// spoiled, all stay, and what a kernel counts as CPU time is in them.
const ROBBED: [(Robbed, bool); 4] = [
    (Robbed { fill: 0.1, counts_stolen: false }, true),
    (Robbed { fill: 0.1, counts_stolen: true }, true),
    (Robbed { fill: 0.4, counts_stolen: false }, true),
    (Robbed { fill: 0.4, counts_stolen: true }, false),
];

/// The tables, by the names of their places in the document.
pub(crate) const TABLES: [(&str, Make); 6] = [
    ("compared", compared),
    ("equal", equal),
    ("beyond", beyond),
    ("found", found),
    ("counts", counts),
    ("stolen", stolen),
];

/// Coverage and bias of ratios of latencies.
fn compared(runs: u64, broken: &mut Vec<String>) -> Table {
    let names = QUANTILES.map(|(name, _)| name);
    let widths = ["p50 ±", "p99 ±"];
    let head = ["machine", "restarts × blocks"].into_iter().chain(names).chain(["largest bias"]).chain(widths);
    let mut table = Table::new(head);
    for setting in SETTINGS {
        let tallies = in_parallel(runs / FEWER, |part| setting.coverage(RATIO, part));
        let is_burst_of_few = setting.machine == Machine::Bursty && setting.blocks < FIVE_MINUTES;
        let limits = if is_burst_of_few { CAUTIOUS } else { Limits::PROMISED };
        let mut row = name(&setting);
        for (tally, metric) in tallies.iter().zip(names) {
            judge(tally, &limits, &format!("{metric} compared, {}", name(&setting).join(", ")), broken);
            row.push(percent(tally.coverage()));
        }
        row.extend(tallies.iter().max_by(|a, b| a.bias().abs().total_cmp(&b.bias().abs())).map(bias));
        row.extend([&tallies[1], &tallies[4]].map(|tally| percent(tally.half_width())));
        table.row(row);
    }
    table
}

/// What is said of equal arms.
fn equal(runs: u64, broken: &mut Vec<String>) -> Table {
    let head =
        ["machine", "restarts × blocks", "any difference called", "p50 called", "p50 called equal", "p50 unclear"];
    let mut table = Table::new(head);
    for setting in SETTINGS {
        let said = experiments(&setting, 1.0, runs / FEWER);
        let (least, _) = said.interval(said.any);
        if least > MOST_FALSE {
            broken.push(format!("equal arms, {}: {} called", name(&setting).join(", "), percent(said.share(said.any))));
        }
        let mut row = name(&setting);
        let unclear = said.experiments - said.headline - said.headline_equal;
        row.extend([said.any, said.headline, said.headline_equal, unclear].map(|called| percent(said.share(called))));
        table.row(row);
    }
    table
}

/// What is said of arms that differ by more than the margin of equality.
fn beyond(runs: u64, broken: &mut Vec<String>) -> Table {
    let head = ["machine", "restarts × blocks", "slower by", "p50 called equal", "any latency, at most", "p50 slower"];
    let mut table = Table::new(head);
    for (setting, ratio) in SETTINGS.into_iter().flat_map(|setting| BEYOND.map(|ratio| (setting, ratio))) {
        let said = experiments(&setting, ratio, runs / FEWER);
        let most = said.equal.into_iter().max().unwrap_or(0);
        let (least, _) = said.interval(most);
        let mut row = name(&setting);
        row.push(format!("{:.2} %", (ratio - 1.0) * 100.0));
        if least > MOST_FALSE_EQUAL {
            broken.push(format!("{}: {} called equal", row.join(", "), percent(said.share(most))));
        }
        row.extend([said.headline_equal, most, said.headline].map(|called| percent(said.share(called))));
        table.row(row);
    }
    table
}

/// How often a change is found.
fn found(runs: u64, broken: &mut Vec<String>) -> Table {
    let head = ["machine", "restarts × blocks", "slower by", "p50 slower", "any slower", "any faster"];
    let mut table = Table::new(head);
    for (setting, ratio, is_promised) in FOUND {
        let said = experiments(&setting, ratio, runs / FEWEST);
        let (_, most) = said.interval(said.headline);
        if is_promised && most < NEAR_ALL {
            broken.push(format!("{}: {} found", name(&setting).join(", "), percent(said.share(said.headline))));
        }
        let mut row = name(&setting);
        row.push(format!("{:.0} %", (ratio - 1.0) * 100.0));
        row.extend([said.headline, said.any, said.wrong].map(|called| percent(said.share(called))));
        table.row(row);
    }
    table
}

/// Coverage and bias of differences of counters.
fn counts(runs: u64, broken: &mut Vec<String>) -> Table {
    let mut table = Table::new([
        "background",
        "blocks",
        "idle phases",
        "covers",
        "(95 % interval)",
        "bias",
        "mean ±",
        "equal arms told apart",
    ]);
    let rows = Kind::ALL.into_iter().flat_map(|kind| [8, 30].map(|blocks| (kind, blocks)));
    for ((background, blocks), has_idle) in rows.flat_map(|row| [(row, true), (row, false)]) {
        let (tally, called) =
            in_parallel(runs / FEWER, |part| counting::differences(background, blocks, has_idle, part));
        let idle = if has_idle { "yes" } else { "no" };
        judge(&tally, &Limits::PROMISED, &format!("counts compared, {}, {blocks}, {idle}", background.name()), broken);
        let mut row = vec![background.name().to_owned(), blocks.to_string(), idle.to_owned()];
        row.extend(cells(&tally));
        row.push(percent(called as f64 / tally.runs() as f64));
        table.row(row);
    }
    table
}

/// Comparisons on a machine whose time is stolen in bursts.
fn stolen(runs: u64, broken: &mut Vec<String>) -> Table {
    let names = QUANTILES.map(|(name, _)| name);
    let head = ["bursts fill", "kernel counts", "blocks left out"].into_iter().chain(names);
    let mut table = Table::new(head.chain(["largest bias", "CPU covers", "CPU bias", "equal arms: p50 called"]));
    for (robbed, is_promised) in ROBBED {
        let proven = in_parallel(runs / FEWER, |part| robbed.prove(RATIO, part));
        let what = format!("stolen time, bursts fill {}", percent(robbed.fill));
        for (tally, metric) in proven.latencies.iter().zip(names) {
            // Where all blocks stay, those with bursts decide.
            let limits = if proven.left_out.0 == 0 { CAUTIOUS } else { Limits::PROMISED };
            judge(tally, &limits, &format!("{what}: {metric}"), broken);
        }
        if is_promised {
            judge(&proven.cpu, &Limits::PROMISED, &format!("{what}: CPU"), broken);
        }
        let counts = if robbed.counts_stolen { "stolen time as CPU time" } else { "rightly" };
        let mut row = vec![percent(robbed.fill), counts.to_owned(), percent(proven.left_out_share())];
        row.extend(proven.latencies.iter().map(|tally| percent(tally.coverage())));
        row.extend(proven.latencies.iter().max_by(|a, b| a.bias().abs().total_cmp(&b.bias().abs())).map(bias));
        row.extend([percent(proven.cpu.coverage()), bias(&proven.cpu)]);
        row.push(percent(proven.called as f64 / proven.cpu.runs().max(1) as f64));
        table.row(row);
    }
    table
}

fn experiments(setting: &Setting, ratio: f64, runs: u64) -> Said {
    in_parallel(runs, |part| setting.said(ratio, part))
}

fn name(setting: &Setting) -> Vec<String> {
    vec![setting.machine.name().to_owned(), format!("{} × {}", setting.restarts, setting.blocks)]
}
