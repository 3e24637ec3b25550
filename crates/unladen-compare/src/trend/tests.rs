use unladen_document::Document;

use super::*;
use crate::row::Verdict;
use crate::tests::simulation::{Simulated, World};

fn of(world: World, seed: u64, factors: &[f64]) -> Trend {
    let mut simulated = Simulated::new(world, seed);
    let runs: Vec<_> = factors.iter().map(|factor| simulated.run(*factor)).collect();
    trend(&runs.iter().collect())
}

fn headline(trend: &Trend) -> &Series {
    trend.series.iter().find(|series| series.headline).unwrap()
}

#[test]
fn runs_of_the_same_thing_have_no_change() {
    let worlds = [
        World::QUIET,
        World { heavy: true, wander: 0.02, ..World::QUIET },
        World { bursts: 0.1, between: 0.005, ..World::QUIET },
    ];
    for world in worlds {
        let has_change =
            |seed: &u64| of(world, *seed, &[1.0; 8]).series.iter().any(|series| !series.changes.is_empty());
        let count = (0..60).filter(has_change).count();
        assert!(count <= 5, "{world:?}: {count} of 60");
    }
}

#[test]
fn a_change_is_found_where_it_is() {
    let (mut placed, mut covered, mut within) = (0, 0, 0);
    let mut factors = [1.0; 14];
    factors[8..].fill(1.03);
    for seed in 0..20 {
        let trend = of(World { wander: 0.02, ..World::QUIET }, seed, &factors);
        let changes = &headline(&trend).changes;
        assert!(changes.len() <= 1, "{changes:?}");
        if let Some(change) = changes.first() {
            assert_eq!(change.verdict, Verdict::Heavier);
            placed += usize::from(change.last_before == 7 && change.first_after == 8);
            within += usize::from(change.earliest <= 7 && 8 <= change.latest);
            covered += usize::from(change.change.low <= 1.03 && 1.03 <= change.change.high);
        }
    }
    assert!(placed >= 18 && within >= 18 && covered >= 17, "{placed} {within} {covered}");
}

#[test]
fn a_change_that_was_taken_back_is_two() {
    let mut factors = [1.0; 18];
    factors[7..11].fill(1.05);
    let trend = of(World::QUIET, 3, &factors);
    let places: Vec<usize> = headline(&trend).changes.iter().map(|change| change.first_after).collect();
    assert_eq!(places, [7, 11]);
    assert!(headline(&trend).changes[0].change.low > 1.03 && headline(&trend).changes[1].change.high < 0.97);
}

#[test]
fn a_machine_that_becomes_slower_changes_nothing() {
    let world = World { reference: Some(0.001), ..World::QUIET };
    let mut simulated = Simulated::new(world, 5);
    let mut runs: Vec<Document> = (0..7).map(|_| simulated.run(1.0)).collect();
    simulated.slow_down(0.15);
    runs.extend((0..7).map(|_| simulated.run(1.0)));
    let trend = trend(&runs.iter().collect());
    for series in &trend.series {
        assert!(series.changes.is_empty(), "{series:#?}");
    }
    let latency = trend.series.iter().find(|series| series.metric == "latency.p50").unwrap();
    assert!(latency.points[13].low > latency.points[0].high, "it is seen all the same: {latency:#?}");
}

#[test]
fn points_are_at_the_speed_of_the_latest_run() {
    let mut simulated = Simulated::new(World::QUIET, 5);
    let slow = simulated.run(1.0);
    simulated.slow_down(-0.5);
    let (trend, last) = (trend(&[slow, simulated.run(1.0)].iter().collect()), 22.2e6 * (-0.5_f64).exp());
    let points = &headline(&trend).points;
    assert!(headline(&trend).in_reference_units);
    assert!(points.iter().all(|point| (point.value / last - 1.0).abs() < 0.03), "{points:?}");
    assert_eq!(trend.warnings, ["2 runs so far: at least 6 are needed to look for changes"]);
}

#[test]
fn runs_are_in_the_order_of_time_and_of_one_kind() {
    let mut simulated = Simulated::new(World::QUIET, 1);
    let mut runs: Vec<Document> = (0..8).map(|_| simulated.run(1.0)).collect();
    runs.reverse();
    let mut history = History::new();
    for (index, run) in runs.iter().enumerate() {
        history.push_named(format!("{}", 8 - index), run);
    }
    let Document::Weigh(other) = &mut runs[3] else { panic!() };
    other.concurrency = 4;
    history.push_named("9", &runs[3]);
    let trend = trend(&history);
    assert_eq!(
        trend.runs.iter().map(|run| run.id.as_deref().unwrap()).collect::<Vec<_>>(),
        ["1", "2", "3", "4", "5", "6", "7", "8"]
    );
    assert_eq!(trend.warnings, ["1 run measured something else than the latest run, or in another way"]);
}

#[test]
fn the_document_has_its_schema_and_words() {
    let mut factors = [1.0; 10];
    factors[5..].fill(1.2);
    let value = serde_json::to_value(of(World::QUIET, 1, &factors)).unwrap();
    assert_eq!(value["schema"], "unladen.trend/1");
    let schema = unladen_document::Schema::named("trend").unwrap().json();
    let schema = format!("{schema:#}");
    let series = &value["series"][0];
    for object in [&value, &value["runs"][0], series, &series["points"][0], &series["changes"][0]] {
        for name in object.as_object().unwrap().keys() {
            assert!(schema.contains(&format!("\"{name}\": {{")), "{name}");
        }
    }
    assert!(trend(&History::new()).series.is_empty());
}
