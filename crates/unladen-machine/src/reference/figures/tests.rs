use fastrand::Rng;

use super::*;
use crate::reference::sample::ReferenceSample;
use crate::reference::units::Units;

fn sample(kind: ReferenceKind, cpu_ns: u64) -> ReferenceSample {
    ReferenceSample { kind, cpu_ns, wall_ns: 2 * cpu_ns }
}

#[test]
fn each_kind_has_a_figure_of_its_own() {
    let mut units = Units::default();
    for gap in 0..10 {
        for (kind, ns) in ReferenceKind::ALL.into_iter().zip([1_000, 2_000, 3_000]) {
            units.add(sample(kind, ns + gap));
        }
        units.end_gap();
    }
    let reference = Reference::of(units.whole(), 0.01).unwrap();
    assert_eq!((reference.version, reference.figures.len(), reference.cost_share), (VERSION, 3, 0.01));
    for (figure, ns) in reference.figures.iter().zip([1_000.0, 2_000.0, 3_000.0]) {
        assert_eq!((figure.cpu.value, figure.cpu.blocks, figure.pieces), (ns + 4.5, 10, 10));
        assert!(figure.cpu.low >= ns && figure.cpu.high <= ns + 9.0 && figure.cpu.low < figure.cpu.high);
        assert_eq!(figure.wall.value, 2.0 * figure.cpu.value);
    }
}

#[test]
fn gaps_that_are_too_short_for_every_kind_are_one_unit() {
    let mut units = Units::default();
    for (gap, kind) in ReferenceKind::ALL.into_iter().cycle().enumerate().take(20) {
        units.add(sample(kind, 1_000));
        units.end_gap();
        assert_eq!(units.whole().len(), (gap + 1) / 3);
    }
    assert_eq!(Reference::of(units.whole(), 0.0).unwrap().figures[0].pieces, 6);
}

#[test]
fn few_gaps_carry_no_interval() {
    let mut units = Units::default();
    for _ in 0..5 {
        ReferenceKind::ALL.into_iter().for_each(|kind| units.add(sample(kind, 1_000)));
        units.end_gap();
    }
    assert_eq!(Reference::of(units.whole(), 0.0), Err(TooFew { blocks: 5 }));
}

/// Neighbours slow whole gaps, not single pieces: an interval from pieces alone would miss the truth most of the time.
#[test]
fn the_interval_covers_the_speed_although_neighbours_slow_whole_gaps() {
    let mut rng = Rng::with_seed(5);
    let (runs, mut covered) = (400, 0);
    for _ in 0..runs {
        let mut units = Units::default();
        for _ in 0..15 {
            // Symmetric about the truth, as far as the time of a gap goes; each piece adds a little of its own.
            let gap = 1_000_000.0 * (1.0 + 0.2 * (rng.f64() - 0.5));
            for _ in 0..10 {
                let piece = gap * (1.0 + 0.02 * (rng.f64() - 0.5));
                ReferenceKind::ALL.into_iter().for_each(|kind| units.add(sample(kind, piece as u64)));
            }
            units.end_gap();
        }
        let cpu = Reference::of(units.whole(), 0.0).unwrap().figures[0].cpu;
        covered += u32::from(cpu.low <= 1_000_000.0 && 1_000_000.0 <= cpu.high);
    }
    let share = f64::from(covered) / f64::from(runs);
    assert!((0.92..=0.98).contains(&share), "{share}");
}
