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

fn split(values: &[f64]) -> Option<Split> {
    Weighted::of(&points(values)).best_split(&(0..values.len()).collect::<Vec<_>>())
}

#[test]
fn the_stretch_that_differs_most_is_found() {
    let end = split(&[1.0, 1.1, 0.9, 1.0, 5.0, 5.1, 4.9]).unwrap();
    assert_eq!((end.from, end.to), (4, 7));
    let middle = split(&[1.0, 1.1, 0.9, 1.0, 1.1, 5.0, 5.1, 4.9, 1.0, 1.1, 0.9, 1.0]).unwrap();
    assert_eq!((middle.from, middle.to), (5, 8));
    assert!(middle.p < 1e-6 && split(&[1.0, 1.2, 0.9, 1.1, 1.0, 1.1]).unwrap().p > 0.01);
}

#[test]
fn one_day_is_no_stretch_and_rounding_no_change() {
    let end = split(&[1.0, 1.1, 0.9, 1.0, 1.1, 0.9, 9.0]).unwrap();
    assert_eq!((end.from, end.to), (5, 7));
    assert_eq!(split(&[1.0; 9]), None);
    assert_eq!(split(&[0.3, 0.1 + 0.2, 0.3, 0.3, 0.1 + 0.2, 0.3]), None);
    assert_eq!(split(&[1.0, 1.0, 5.0, 5.0, 5.0]), None);
}

#[test]
fn clear_changes_cut_the_series() {
    let values =
        [vec![1.0, 1.1, 0.9, 1.0, 1.05, 0.95], vec![5.0, 5.1, 4.9, 5.0, 5.05, 4.95], vec![1.0, 1.1, 0.9, 1.0]].concat();
    assert_eq!(clear_changes(&points(&values)), [6, 12]);
    assert_eq!(clear_changes(&points(&values[..6])), [0_usize; 0]);
    let lengths: Vec<usize> = segments(&values, &[6, 12]).iter().map(|segment| segment.len()).collect();
    assert_eq!(lengths, [6, 6, 4]);
}

fn uncertain(values: &[f64]) -> Vec<Point> {
    values.iter().map(|&y| Point { y, variance: 0.0025 }).collect()
}

#[test]
fn a_change_moves_to_where_it_fits_best() {
    let all = located(&uncertain(&[1.0, 1.05, 0.95, 1.0, 3.0, 3.05, 2.95, 3.0]), &[3]);
    assert_eq!((all.len(), all[0].at, all[0].earliest, all[0].latest), (1, 4, 4, 4));
    assert!(all[0].change.low < 2.0 && 2.0 < all[0].change.high && all[0].change.low > 1.8, "{all:?}");
}

#[test]
fn a_place_that_the_runs_leave_open_is_a_range() {
    let all = located(&uncertain(&[1.0, 1.1, 0.9, 1.05, 1.12, 1.2, 1.25, 1.15, 1.3, 1.2]), &[5]);
    assert!(all[0].earliest < all[0].latest, "{all:?}");
}

#[test]
fn what_is_no_change_beside_its_neighbours_goes() {
    let all = located(&uncertain(&[1.0, 1.05, 0.95, 1.0, 1.02, 1.0, 3.0, 3.05, 2.95, 3.0]), &[3, 6]);
    assert_eq!(all.iter().map(|located| located.at).collect::<Vec<_>>(), [6]);
}
