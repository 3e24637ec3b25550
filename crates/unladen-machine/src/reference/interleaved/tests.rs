use super::*;
use crate::reference::kind::ReferenceKind;

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
