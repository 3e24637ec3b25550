use super::*;

fn times(busy: u64, stolen: u64) -> MachineTimes {
    let ms = Duration::from_millis;
    MachineTimes { elapsed: ms(1_000), available: ms(2_000), busy: ms(busy), stolen: ms(stolen), ..Default::default() }
}

fn told(blocks: &[MachineTimes]) -> (Machine, Option<String>) {
    let spoiled = Spoiled::of(&blocks.iter().map(conditions).collect::<Vec<_>>(), |_| true);
    let all = blocks.iter().fold(MachineTimes::default(), |sum, times| sum.plus(*times));
    (machine(&all, Some(&spoiled)), taken_warning(&all, Some(&spoiled)).map(|warning| warning.to_string()))
}

#[test]
fn a_quiet_machine_is_not_worth_a_word() {
    let (machine, warning) = told(&[times(500, 0); 8]);
    assert_eq!((machine.stolen_share, machine.spoiled_blocks, machine.blocks), (Some(0.0), Some(0), Some(8)));
    assert_eq!((machine.spoiled_kept_blocks, warning), (None, None));
}

#[test]
fn blocks_that_are_left_out_and_those_that_stay_are_told_apart() {
    let mut blocks = vec![times(500, 0); 8];
    blocks.extend([times(300, 200); 2]);
    let (machine, warning) = told(&blocks);
    assert_eq!((machine.spoiled_blocks, machine.spoiled_kept_blocks, machine.blocks), (Some(2), None, Some(10)));
    assert!(warning.unwrap().contains("2 of 10 blocks are left out"));
    blocks.extend([times(300, 200); 9]);
    let (machine, warning) = told(&blocks);
    assert_eq!((machine.spoiled_blocks, machine.spoiled_kept_blocks, machine.blocks), (Some(0), Some(11), Some(19)));
    assert!(warning.unwrap().contains("11 of 19 blocks are spoiled by that, too many"));
}
