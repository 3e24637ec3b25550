use std::time::Duration;

use unladen_machine::MachineTimes;

use super::*;

/// A second of a machine of two processors, of which the hypervisor took so many milliseconds.
fn block(url: usize, stolen: u64) -> BlockRecord {
    let ms = Duration::from_millis;
    let times = MachineTimes {
        elapsed: ms(1_000),
        available: ms(2_000),
        busy: ms(500),
        stolen: ms(stolen),
        ..Default::default()
    };
    let (order, phases, elsewhere) = (Order::OnFirst, Default::default(), Vec::new());
    BlockRecord { url, order, phases, times, is_left_out: false, elsewhere }
}

fn recording(blocks: impl IntoIterator<Item = (usize, u64)>) -> Recording {
    Recording { blocks: blocks.into_iter().map(|(url, stolen)| block(url, stolen)).collect() }
}

/// A run of twelve blocks of which three were left out could not tell a family of five counters from chance, whatever
/// they counted.
#[test]
fn left_out_blocks_were_not_made_up_for() {
    let of_three = recording((0..12).map(|index| (0, if index % 4 == 0 { 400 } else { 0 })));
    assert!(of_three.wants_replacements(1, 12));
    assert!(!of_three.wants_replacements(1, 9), "as many are clean");
    assert!(
        !recording([(0, 0); 5]).wants_replacements(1, 12),
        "nothing was taken: the time that was planned is enough"
    );
    assert!(
        !recording([(0, 400), (0, 400), (0, 0)]).wants_replacements(1, 12),
        "where most are spoiled, they all stay"
    );
    let of_one_page = recording((0..12).flat_map(|index| [(0, 0), (1, if index == 3 { 400 } else { 0 })]));
    assert!(of_one_page.wants_replacements(2, 12), "the page that has the fewest decides");
}
