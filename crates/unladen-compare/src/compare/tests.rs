use super::*;
use crate::simulation::{Simulated, World};
use crate::{Row, Verdict};

/// What many comparisons of runs of one world said.
#[derive(Debug, Default)]
struct Tally {
    comparisons: f64,
    rows: f64,
    false_rows: f64,
    false_comparisons: f64,
    found: f64,
    covered: f64,
    of_ratio: f64,
    equal: f64,
}

/// Compares pairs after a history of this many runs; in the later run, PHP takes `factor` of its usual time.
fn pairs(world: World, past: usize, factor: f64, trials: u64) -> Tally {
    let mut tally = Tally::default();
    for seed in 0..trials {
        let mut simulated = Simulated::new(world, seed);
        let history: History = (0..past).map(|_| simulated.run(1.0)).collect::<Vec<_>>().iter().collect();
        let (before, after) = (simulated.run(1.0), simulated.run(factor));
        let comparison = compare(&before, &after, &history);
        let of_php = |row: &&Row| row.headline;
        let php = comparison.rows.iter().find(of_php).unwrap();
        // Divided out of times on a processor, the machine's speed does not count.
        let ratio = php.ratio.unwrap();
        tally.covered += f64::from(ratio.low <= factor && factor <= ratio.high);
        tally.found +=
            f64::from(if factor > 1.0 { php.verdict == Verdict::Heavier } else { php.verdict == Verdict::Lighter });
        let told = comparison.changed().count() as f64;
        tally.rows += comparison.rows.len() as f64;
        tally.equal +=
            comparison.rows.iter().filter(|row| row.verdict == Verdict::NoMeasurableDifference).count() as f64;
        tally.false_rows += told;
        tally.false_comparisons += f64::from(told > 0.0);
        tally.of_ratio += ratio.high - ratio.low;
        tally.comparisons += 1.0;
    }
    tally.covered /= tally.comparisons;
    tally.found /= tally.comparisons;
    tally.false_comparisons /= tally.comparisons;
    tally.false_rows /= tally.rows;
    tally.equal /= tally.rows;
    tally.of_ratio /= tally.comparisons * 2.0;
    tally
}

#[test]
fn explore() {
    let quiet = World::QUIET;
    let noisy = World { between: 0.015, ..quiet };
    let wandering = World { wander: 0.03, ..quiet };
    let worlds = [
        ("quiet", quiet),
        ("noisy", noisy),
        ("wandering", wandering),
        ("ref noise", World { reference: Some(0.005), ..wandering }),
        ("heavy", World { heavy: true, between: 0.005, ..wandering }),
        ("bursts", World { bursts: 0.1, between: 0.005, ..wandering }),
        ("half", World { between: 0.005, ..quiet }),
        ("no ref", World { reference: None, between: 0.005, ..quiet }),
        ("exact", World { within: 1e-4, between: 0.004, ..quiet }),
    ];
    for (name, world) in worlds {
        for past in [8, 20] {
            let equal = pairs(world, past, 1.0, 200);
            let changed = pairs(world, past, 1.03, 200);
            eprintln!(
                "{name:10} {past:3}  A/A rows {:.3} comparisons {:.3} cover {:.3} equal {:.2} ±{:.4} | 3 %: found {:.3} cover {:.3}",
                equal.false_rows,
                equal.false_comparisons,
                equal.covered,
                equal.equal,
                equal.of_ratio,
                changed.found,
                changed.covered
            );
        }
    }
}
