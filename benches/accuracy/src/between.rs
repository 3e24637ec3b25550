//! `runs`: real runs of the same thing, kept and compared, and of a thing that does 3 % more.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Duration;

use unladen_accuracy::Table;
use unladen_accuracy::document::put;
use unladen_accuracy::real::{Binaries, Neighbour, RealError, Series, Served, share};
use unladen_compare::{Comparison, History, Verdict, compare};
use unladen_document::Document;

use crate::interrupt::go_on;
use crate::tables::percent;

/// What is injected.
const MORE: f64 = 0.03;
/// Runs before the first that is compared.
const BEFORE: usize = 8;
/// Comparisons of the same thing that may report a difference; of 3 % more, those that are to find it.
const MOST_FALSE: f64 = 0.05;
const LEAST_FOUND: f64 = 0.9;
/// A series breaks a promise if one that keeps it would come out so in fewer than this.
const CERTAIN: f64 = 0.025;
/// The metric that tells of the work.
const METRIC: &str = "weight.cpu";

/// What runs are kept of, and beside what.
struct Scene {
    /// Its table's.
    name: &'static str,
    serve: fn() -> Result<Served, RealError>,
    /// In words.
    beside: &'static str,
    /// What is drawn from for each run.
    neighbours: &'static [Neighbour],
}

const NOTHING: (&str, &[Neighbour]) = ("beside nothing that was started on purpose", &[Neighbour::Nothing]);
const ANYTHING: (&str, &[Neighbour]) = (
    "beside nothing, bursts on half or on all of the processors, bursts that empty its caches, or a quota that bites in bursts, by lot",
    &[Neighbour::Nothing, Neighbour::HalfTheProcessors, Neighbour::AllProcessors, Neighbour::Caches, Neighbour::Quota],
);

const SCENES: [Scene; 3] = [
    Scene { name: "kept-runs-quiet", serve: Served::burn, beside: NOTHING.0, neighbours: NOTHING.1 },
    Scene { name: "kept-runs", serve: Served::burn, beside: ANYTHING.0, neighbours: ANYTHING.1 },
    Scene { name: "kept-runs-pledges", serve: Served::pledges, beside: ANYTHING.0, neighbours: ANYTHING.1 },
];

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Runs of the same thing
    #[arg(long, value_name = "N", default_value_t = 100)]
    runs: usize,
    /// Runs of a thing that does 3 % more
    #[arg(long, value_name = "N", default_value_t = 30)]
    slower: usize,
    /// How long each measures
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration, default_value = "30s")]
    time: Duration,
    /// One of the scenes alone
    #[arg(long, value_name = "SCENE", value_parser = SCENES.map(|scene| scene.name))]
    scene: Option<String>,
    /// Keep the document of each run here; those of an earlier call with the same arguments are not measured again
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

/// Whether what is promised is held.
pub(crate) fn prove(args: &Args, document: &Path) -> Result<bool, Box<dyn Error>> {
    let binaries = Binaries::build()?;
    let mut held = true;
    for scene in SCENES {
        if args.scene.as_ref().is_none_or(|name| name == scene.name) {
            held &= play(args, &scene, &binaries, document)?;
        }
    }
    Ok(held)
}

fn play(args: &Args, scene: &Scene, binaries: &Binaries, document: &Path) -> Result<bool, Box<dyn Error>> {
    let mut series = Series::new((scene.serve)()?, args.time, scene.neighbours, 1, binaries)?;
    let (mut same, mut more) = (Vec::new(), Vec::new());
    // Mixed, so that what the machine does over the hours befalls both.
    let every = (args.runs / args.slower.max(1)).max(1);
    let kept = |number: usize, what: &str| {
        args.keep.as_ref().map(|folder| folder.join(format!("{}-{:03}-{what}.json", scene.name, number + 1)))
    };
    if let Some(folder) = &args.keep {
        std::fs::create_dir_all(folder)?;
    }
    for number in 0..args.runs {
        go_on()?;
        same.push(series.run(binaries, 0.0, kept(number, "same").as_deref())?);
        if number % every == every - 1 && more.len() < args.slower {
            more.push((same.len(), series.run(binaries, MORE, kept(number, "more").as_deref())?));
        }
        eprintln!("run {} of {}: {}", number + 1, args.runs, told(&same));
    }
    let equal: Vec<Comparison> =
        (BEFORE + 1..same.len()).map(|at| compare(&same[at - 1], &same[at], &history(&same[..at - 1]))).collect();
    let slower: Vec<Comparison> = more
        .iter()
        .filter(|(at, _)| *at > BEFORE)
        .map(|(at, run)| compare(&same[at - 1], run, &history(&same[..at - 1])))
        .collect();
    let called = equal.iter().filter(|comparison| comparison.changed().next().is_some()).count() as u64;
    let rows = equal.iter().flat_map(|comparison| comparison.changed()).count();
    let found = slower.iter().filter(|comparison| is_found(comparison)).count() as u64;

    let mut table = Table::new(["comparisons", "of", "report", "in", "share", "(exact 95 % interval)"]);
    for (count, of, what, hits) in [
        (equal.len() as u64, "the same thing", "any difference", called),
        (slower.len() as u64, "3 % more work", "more CPU", found),
    ] {
        let (low, high) = share::interval(hits, count);
        table.row([
            count.to_string(),
            of.to_owned(),
            what.to_owned(),
            hits.to_string(),
            percent(hits as f64 / count.max(1) as f64),
            format!("{} – {}", percent(low), percent(high)),
        ]);
    }
    let all: usize = equal.iter().map(|comparison| comparison.rows.len()).sum();
    let text = format!(
        "{table}\n{rows} of {all} figures of the same thing were called. {} runs of the same thing, of {} each, {}.",
        args.runs,
        humantime::format_duration(args.time),
        scene.beside
    );
    eprintln!("{text}");
    put(document, scene.name, &text)?;
    let missed = slower.len() as u64 - found;
    Ok(share::chance_of_as_many(called, equal.len() as u64, MOST_FALSE) >= CERTAIN
        && share::chance_of_as_many(missed, slower.len() as u64, 1.0 - LEAST_FOUND) >= CERTAIN)
}

fn history(runs: &[Document]) -> History {
    runs.iter().rev().take(40).rev().collect()
}

fn is_found(comparison: &Comparison) -> bool {
    comparison.rows.iter().any(|row| row.metric == METRIC && row.verdict == Verdict::Heavier)
}

/// The last run beside the one before.
fn told(runs: &[Document]) -> String {
    let [.., before, after] = runs else { return String::new() };
    let earlier = &runs[..runs.len() - 2];
    let comparison = compare(before, after, &history(earlier));
    let row = comparison.rows.iter().find(|row| row.metric == METRIC);
    row.map_or_else(String::new, |row| {
        let ratio = row.ratio.map_or(f64::NAN, |ratio| ratio.value);
        let floor = row.floor.unwrap_or(f64::NAN) * 100.0;
        format!("{METRIC} {:+.2} %, floor {floor:.2} %, {}", (ratio - 1.0) * 100.0, row.verdict)
    })
}
