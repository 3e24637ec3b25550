//! The part of `real` that is about `unladen prove`: its tables.

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use unladen_accuracy::Table;
use unladen_accuracy::document::put;
use unladen_accuracy::real::{Binaries, Experiment, Neighbour, Proved, share};

use crate::interrupt::go_on;
use crate::tables::percent;

/// Most experiments of equal arms in which the headline may be called.
const MOST_FALSE: f64 = 0.05;
/// A series breaks a promise if one that keeps it would come out so in fewer than this.
const CERTAIN: f64 = 0.025;
/// Within this the slow-down is to be found.
const FIVE_MINUTES: Duration = Duration::from_secs(300);
/// And that takes a little before the first block, and after the last.
const MEASURED: Duration = Duration::from_secs(280);

const BESIDE: (Neighbour, &str) = (Neighbour::HalfTheProcessors, "bursts on half of the processors");

/// What is said of equal arms.
pub(super) fn equals(runs: u64, binaries: &Binaries, document: &Path) -> Result<bool, Box<dyn Error>> {
    let mut all = Vec::new();
    for seed in 1..=runs {
        go_on()?;
        let proved = Experiment { beside: BESIDE.0, seed }.of_equals(binaries)?;
        eprintln!("equal arms, {seed} of {runs}: {}", told(&proved));
        all.push(proved);
    }
    let count = |is: &dyn Fn(&Proved) -> bool| all.iter().filter(|proved| is(proved)).count() as u64;
    let called = count(&Proved::is_called);
    let mut table = Table::new(["beside", "experiments", "what is called", "in", "share", "(exact 95 % interval)"]);
    for (what, hits) in [
        ("p50", called),
        ("any metric of latency", count(&|proved| !proved.latencies.is_empty())),
        ("any counter", count(&|proved| !proved.weights.is_empty())),
        ("anything", count(&|proved| !proved.latencies.is_empty() || !proved.weights.is_empty())),
    ] {
        let (low, high) = share::interval(hits, runs);
        table.row([
            BESIDE.1.to_owned(),
            runs.to_string(),
            what.to_owned(),
            hits.to_string(),
            percent(hits as f64 / runs as f64),
            format!("{} – {}", percent(low), percent(high)),
        ]);
    }
    let mean = all.iter().map(|proved| (proved.high - proved.low) / 2.0).sum::<f64>() / runs as f64;
    let covered = count(&Proved::covers);
    let (low, high) = share::interval(covered, runs);
    let text = format!(
        "{table}\np50's interval held 1 in {covered} of {runs} ({} – {}); it was ± {} on average.",
        percent(low),
        percent(high),
        percent(mean)
    );
    eprintln!("{text}");
    put(document, "equals", &text)?;
    Ok(share::chance_of_as_many(called, runs, MOST_FALSE) >= CERTAIN)
}

/// What is said of a candidate that is 2 % slower.
pub(super) fn slower(runs: u64, binaries: &Binaries, document: &Path) -> Result<bool, Box<dyn Error>> {
    let mut table = Table::new(["beside", "seed", "true ratio", "p50's ratio", "(95 % interval)", "p50", "took"]);
    let (mut found, mut in_time) = (0, true);
    for seed in 1..=runs {
        go_on()?;
        let begun = Instant::now();
        let proved = Experiment { beside: BESIDE.0, seed }.of_two_percent(binaries, MEASURED)?;
        let took = begun.elapsed();
        eprintln!("2 % slower, {seed} of {runs}: truth {:.4}, {}", proved.truth, told(&proved));
        found += u64::from(proved.verdict == "slower");
        in_time &= took <= FIVE_MINUTES;
        table.row([
            BESIDE.1.to_owned(),
            seed.to_string(),
            format!("{:.4}", proved.truth),
            format!("{:.4}", proved.ratio),
            format!("{:.4} – {:.4}", proved.low, proved.high),
            proved.verdict.clone(),
            format!("{} s", took.as_secs()),
        ]);
    }
    let text = format!("{table}\nFound in {found} of {runs}.");
    eprintln!("{text}");
    put(document, "slower", &text)?;
    Ok(found == runs && in_time)
}

fn told(proved: &Proved) -> String {
    let Proved { ratio, low, high, verdict, latencies, weights, elapsed, .. } = proved;
    let called: Vec<&str> = latencies.iter().chain(weights).map(String::as_str).collect();
    format!(
        "p50 {ratio:.4} [{low:.4}, {high:.4}] {verdict}; called: {}; {} s",
        if called.is_empty() { "nothing".to_owned() } else { called.join(", ") },
        elapsed.as_secs()
    )
}
