use super::*;

fn exact(values: &[f64]) -> Vec<Point> {
    values.iter().map(|&y| Point { y, variance: 0.0 }).collect()
}

fn split(values: &[f64]) -> Option<Split> {
    Weighted::of(&exact(values)).best_split(&(0..values.len()).collect::<Vec<_>>())
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
    assert_eq!(clear_changes(&exact(&values)), [6, 12]);
    assert_eq!(clear_changes(&exact(&values[..6])), [0_usize; 0]);
    let lengths: Vec<usize> = segments(&values, &[6, 12]).iter().map(|segment| segment.len()).collect();
    assert_eq!(lengths, [6, 6, 4]);
}
