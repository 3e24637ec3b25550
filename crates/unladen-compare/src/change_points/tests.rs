use super::*;

fn points(values: &[f64]) -> Vec<Point> {
    values.iter().map(|&y| Point { y, variance: 0.0 }).collect()
}

#[test]
fn the_same_runs_have_the_same_change_points() {
    let runs: Vec<usize> = (0..12).collect();
    let level = |index: &usize| if *index < 7 { 1.0 } else { 2.0 };
    let step = points(&runs.iter().map(|index| level(index) + (index % 3) as f64 * 0.1).collect::<Vec<_>>());
    let flat = points(&runs.iter().map(|index| (index * 5 % 7) as f64).collect::<Vec<_>>());
    let series = [(runs.as_slice(), step.as_slice()), (runs.as_slice(), flat.as_slice()), (&[], &[])];
    let found = change_points(&series);
    assert_eq!(found[0].iter().map(|(at, _)| *at).collect::<Vec<_>>(), [7]);
    assert!(found[0][0].1 <= FALSE_ALARMS && found[1].is_empty() && found[2].is_empty(), "{found:?}");
    assert_eq!(change_points(&series), found);
}

#[test]
fn many_series_do_not_raise_false_alarms() {
    let mut rng = Rng::with_seed(4);
    let runs: Vec<usize> = (0..10).collect();
    let alarms = (0..40)
        .filter(|_| {
            let all: Vec<Vec<Point>> = (0..30).map(|_| points(&[0.0; 10].map(|_| rng.f64().powi(3)))).collect();
            let series: Vec<(&[usize], &[Point])> = all.iter().map(|of| (runs.as_slice(), of.as_slice())).collect();
            change_points(&series).iter().any(|changes| !changes.is_empty())
        })
        .count();
    assert!(alarms <= 4, "{alarms} of 40");
}
