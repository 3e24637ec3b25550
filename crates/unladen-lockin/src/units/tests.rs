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
