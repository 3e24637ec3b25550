use unladen_lockin::{Measure, Unit};

use super::*;

fn contrast(value: f64, half_width: f64) -> Contrast {
    let (low, high) = (value - half_width, value + half_width);
    let (unit, scale, measure) = (Unit::Block, Scale::Difference, Measure::Count);
    Contrast { value, low, high, p_value: 0.03, units: 20, unit, scale, measure, terms: 2.0 }
}

/// memcached's 30.1 ms of a page of 400 ms went to 0 ± 28, and that was called no measurable difference.
#[test]
fn a_weight_that_vanished_was_equal() {
    let judged = |change, half_width, floor, own, all| {
        judge(&contrast(change, half_width), &Floor::of(&contrast(0.0, floor)), 0.06, margin(own, all))
    };
    assert_eq!(judged(-30.1, 28.0, 31.0, 30.1, 400.0), Judged::Unclear);
    assert_eq!(judged(-30.1, 28.0, 31.0, 310.0, 400.0), Judged::Unclear);
    assert_eq!(judged(-3.0, 10.0, 12.0, 310.0, 400.0), Judged::NoMeasurableDifference);
    // A group that carries nothing.
    assert_eq!(judged(1.0, 2.9, 3.9, 1.0, 400.0), Judged::NoMeasurableDifference);
    assert_eq!(judged(1.0, 3.1, 3.9, 1.0, 400.0), Judged::Unclear);
    assert_eq!(judged(1.0, 2.9, 4.1, 1.0, 400.0), Judged::Unclear);
}

/// 187 comparisons, other sites' processes among them, were judged together: what the application saved was "too few
/// blocks" after control of false discoveries.
#[test]
fn processes_beside_the_path_hid_what_a_change_did() {
    let p_values: Vec<f64> = std::iter::once(0.012).chain((0..186).map(|i| 0.05 + f64::from(i) / 200.0)).collect();
    let of = |lot: fn(usize) -> Lot| -> Vec<(Lot, Vec<usize>)> {
        (0..p_values.len()).map(|index| (lot(index), vec![index])).collect()
    };
    let together = adjusted(&of(|_| Lot::Path), &p_values);
    assert!(together[0] > 0.05, "{}", together[0]);
    let apart = adjusted(&of(|index| if index < 2 { Lot::Path } else { Lot::Beside }), &p_values);
    assert!(apart[0] < 0.05, "{}", apart[0]);
    assert!(apart[2..].iter().all(|p| *p > 0.05));
}

/// The machine's own daemon had less time for itself while requests ran: -13.5 µs a request went to -12.3 µs, and that
/// was called heavier.
#[test]
fn a_background_that_requests_push_aside_is_neither_heavier_nor_lighter() {
    for (most, difference, expected) in
        [(0.0, 0.9, Change::Equal), (0.0, -0.9, Change::Equal), (0.5, 0.9, Change::Worse), (0.5, -0.9, Change::Better)]
    {
        let judged = if difference > 0.0 { Judged::More } else { Judged::Less };
        assert_eq!(verdict(judged, most, difference, false, true), expected, "{most} {difference}");
    }
    assert_eq!(verdict(Judged::Unclear, 0.0, 0.9, false, true), Change::Unclear);
    assert_eq!(verdict(Judged::More, 0.0, 0.9, false, false), Change::Unclear, "its interval is wide");
}
