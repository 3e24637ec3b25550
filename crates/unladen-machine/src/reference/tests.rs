use fastrand::Rng;
use proptest::prelude::*;

use super::{Units, *};
use crate::reference::work::{ReferenceKind, ReferenceSample};

/// Blocks of a length that nobody has to wait for.
fn blocks(reference: &mut Interleaved, blocks: usize, length: Duration) {
    for _ in 0..blocks {
        reference.allowance.earn(length);
        reference.between_blocks(|_| false).unwrap();
    }
}

/// How many pieces fit between two blocks depends on who else is there; what they cost is tested with [`Allowance`].
#[test]
fn a_run_has_figures_of_each_kind() {
    let mut reference = Interleaved::start(1).unwrap();
    for _ in 0..1_000 {
        blocks(&mut reference, 1, Duration::from_secs(2));
        if reference.figures().is_ok() {
            break;
        }
    }
    let figures = reference.figures().unwrap();
    assert!(figures.cost_share > 0.0 && figures.cost_share < 1.0, "{}", figures.cost_share);
    for (figure, kind) in figures.figures.iter().zip(ReferenceKind::ALL) {
        assert_eq!(figure.kind, kind);
        assert!(figure.cpu.low > 0.0 && figure.cpu.low <= figure.cpu.value && figure.cpu.value <= figure.cpu.high);
        assert!(figure.pieces >= 6);
    }
}

#[test]
fn a_long_block_is_followed_by_no_more_pieces_than_tell_something() {
    let mut reference = Interleaved::start(1).unwrap();
    blocks(&mut reference, 2, Duration::from_secs(3_600));
    assert_eq!(reference.pieces, 2 * MOST_IN_A_GAP as u32);
}

#[test]
fn a_run_that_is_to_end_waits_for_no_piece() {
    let mut reference = Interleaved::start(1).unwrap();
    reference.allowance.earn(Duration::from_secs(60));
    let mut waits = 0;
    reference
        .between_blocks(|_| {
            waits += 1;
            waits == 3
        })
        .unwrap();
    assert_eq!((waits, reference.pieces), (3, 2));
}

#[test]
fn pauses_differ_and_are_short() {
    let mut reference = Interleaved::start(1).unwrap();
    reference.allowance.earn(Duration::from_secs(60));
    let mut pauses = Vec::new();
    reference
        .between_blocks(|pause| {
            pauses.push(pause);
            false
        })
        .unwrap();
    assert!(pauses.iter().all(|pause| *pause <= LONGEST_PAUSE));
    pauses.sort();
    pauses.dedup();
    assert!(pauses.len() > 20);
}

#[test]
fn nothing_is_allowed_before_a_block_nor_after_a_short_one() {
    let mut allowance = Allowance::default();
    assert!(!allowance.covers(Duration::from_nanos(1)));
    assert_eq!(allowance.share(), 0.0);
    allowance.earn(Duration::from_millis(50));
    assert!(!allowance.covers(Duration::from_millis(1)));
    allowance.earn(Duration::from_millis(10));
    assert!(allowance.covers(Duration::from_millis(1)));
}

proptest! {
    /// Whatever blocks and pieces take, no more than one piece is spent beyond the part.
    #[test]
    fn the_cost_stays_within_the_promise(
        blocks in prop::collection::vec(50_u64..20_000, 1..40), pieces in prop::collection::vec(1_u64..30_000, 1..40),
    ) {
        let mut allowance = Allowance::default();
        let mut pieces = pieces.into_iter().map(Duration::from_micros).cycle();
        let expected = Duration::from_millis(1);
        for block in blocks {
            allowance.earn(Duration::from_millis(block));
            while allowance.covers(expected) {
                allowance.spend(pieces.next().unwrap());
            }
        }
        let most = allowance.earned.mul_f64(PART) + Duration::from_millis(30);
        prop_assert!(allowance.spent <= most);
        let tail = 0.03 / (allowance.earned + allowance.spent).as_secs_f64();
        prop_assert!(allowance.share() <= PART + tail);
    }
}

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
