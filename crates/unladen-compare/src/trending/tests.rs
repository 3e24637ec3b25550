use super::*;
use crate::simulation::{Simulated, World};

fn of(world: World, seed: u64, factors: &[f64]) -> Trend {
    let mut simulated = Simulated::new(world, seed);
    let runs: Vec<_> = factors.iter().map(|factor| simulated.run(*factor)).collect();
    trend(&runs.iter().collect())
}

#[test]
fn explore_trend() {
    let quiet = World::QUIET;
    let worlds = [
        ("quiet", quiet),
        ("heavy", World { heavy: true, wander: 0.02, ..quiet }),
        ("bursts", World { bursts: 0.1, between: 0.005, ..quiet }),
    ];
    for (name, world) in worlds {
        for n in [8, 20] {
            let (mut any, mut placed, mut found, mut extra, mut covered, mut trials) = (0, 0, 0, 0, 0, 0);
            for seed in 0..100 {
                trials += 1;
                any +=
                    usize::from(of(world, seed, &vec![1.0; n]).series.iter().any(|series| !series.changes.is_empty()));
                let mut factors = vec![1.0; n];
                factors[n / 2..].fill(1.03);
                let changed = of(world, 1000 + seed, &factors);
                let headline = changed.series.iter().find(|series| series.headline).unwrap();
                found += usize::from(!headline.changes.is_empty());
                extra += usize::from(headline.changes.len() > 1);
                if let Some(change) = headline.changes.first() {
                    placed += usize::from(change.first_after == n / 2);
                    covered += usize::from(change.change.low <= 1.03 && 1.03 <= change.change.high);
                }
            }
            eprintln!("{name} {n}: false {any}/{trials} found {found} placed {placed} covered {covered} more {extra}");
        }
    }
}
