use super::*;

fn points(values: &[f64]) -> Vec<Point> {
    values.iter().map(|&y| Point { y, variance: 0.0025 }).collect()
}

#[test]
fn a_change_moves_to_where_it_fits_best() {
    let all = located(&points(&[1.0, 1.05, 0.95, 1.0, 3.0, 3.05, 2.95, 3.0]), &[3]);
    assert_eq!((all.len(), all[0].at, all[0].earliest, all[0].latest), (1, 4, 4, 4));
    assert!(all[0].change.low < 2.0 && 2.0 < all[0].change.high && all[0].change.low > 1.8, "{all:?}");
}

#[test]
fn a_place_that_the_runs_leave_open_is_a_range() {
    let all = located(&points(&[1.0, 1.1, 0.9, 1.05, 1.12, 1.2, 1.25, 1.15, 1.3, 1.2]), &[5]);
    assert!(all[0].earliest < all[0].latest, "{all:?}");
}

#[test]
fn what_is_no_change_beside_its_neighbours_goes() {
    let all = located(&points(&[1.0, 1.05, 0.95, 1.0, 1.02, 1.0, 3.0, 3.05, 2.95, 3.0]), &[3, 6]);
    assert_eq!(all.iter().map(|located| located.at).collect::<Vec<_>>(), [6]);
}
