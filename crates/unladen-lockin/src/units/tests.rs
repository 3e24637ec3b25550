use super::*;

fn layout(blocks_of_restarts: &[usize]) -> Layout {
    let mut layout = Layout::default();
    for blocks in blocks_of_restarts {
        layout.begin_restart();
        (0..*blocks).for_each(|_| layout.push_block());
    }
    layout
}

#[test]
fn restarts_are_the_units_where_there_are_two_or_more() {
    let once = layout(&[5]).units(|_| true);
    assert_eq!((once.unit, once.count()), (Unit::Block, 5));
    let twice = layout(&[2, 3]).units(|_| true);
    assert_eq!((twice.unit, twice.count()), (Unit::Restart, 2));
    assert_eq!(twice.blocks().collect::<Vec<_>>(), [(0, 0), (1, 0), (2, 1), (3, 1), (4, 1)]);
}

#[test]
fn unusable_blocks_belong_to_no_unit() {
    let units = layout(&[2, 2, 2]).units(|block| block != 0 && block != 2 && block != 3);
    assert_eq!((units.unit, units.count()), (Unit::Restart, 2));
    assert_eq!(units.blocks().collect::<Vec<_>>(), [(1, 0), (4, 1), (5, 1)]);
    // What is left is of one restart.
    assert_eq!(layout(&[3, 1]).units(|block| block < 3).unit, Unit::Block);
}

#[test]
fn arms_are_aligned_if_their_blocks_and_restarts_are() {
    let mut without_a_call = Layout::default();
    (0..3).for_each(|_| without_a_call.push_block());
    assert!(without_a_call.is_aligned_with(&layout(&[3])));
    assert!(layout(&[0, 2, 1]).is_aligned_with(&layout(&[2, 0, 1])));
    assert!(!layout(&[2, 1]).is_aligned_with(&layout(&[1, 2])));
    assert!(!layout(&[3]).is_aligned_with(&layout(&[4])));
    assert_eq!((layout(&[2, 0, 1]).restarts(), layout(&[2, 0, 1]).blocks()), (2, 3));
}

#[test]
fn of_a_mean_it_is_the_textbook_standard_error() {
    let values = [3.0, 5.0, 4.0, 8.0, 6.0, 1.0];
    let units: Vec<(f64, f64)> = values.iter().map(|value| (*value, 1.0)).collect();
    let sum = Replicates::combine(&[(1.0, Replicates::of_ratio(&units))], |value| value);
    let mean = values.iter().sum::<f64>() / 6.0;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 5.0;
    assert!((sum.value - mean).abs() < 1e-12 && (sum.standard_error - (variance / 6.0).sqrt()).abs() < 1e-12);
    assert!((sum.degrees - 5.0).abs() < 1e-9);
}

#[test]
fn what_terms_share_does_not_count() {
    let units: Vec<(f64, f64)> = (0..10).map(|unit| (f64::from(unit) + 1.0, 1.0)).collect();
    let twice: Vec<(f64, f64)> = units.iter().map(|(n, d)| (2.0 * n, *d)).collect();
    let terms = [(1.0, Replicates::of_ratio(&twice)), (-1.0, Replicates::of_ratio(&units))];
    let sum = Replicates::combine(&terms, f64::ln);
    assert!((sum.value - 2.0_f64.ln()).abs() < 1e-12 && sum.standard_error < 1e-12);
}

#[test]
fn few_spacings_leave_few_degrees_of_freedom() {
    let units = vec![(1.0, 1.0); 51];
    let with = |spacings| {
        let term = Replicates { spacings, ..Replicates::of_ratio(&units) };
        Replicates::combine(&[(1.0, term.clone()), (-1.0, term)], |value| value).degrees
    };
    assert!((with(f64::INFINITY) - 50.0).abs() < 1e-9);
    assert!((with(50.0) - 25.0).abs() < 1e-9);
    assert!(with(5.0) < 5.0);
}
