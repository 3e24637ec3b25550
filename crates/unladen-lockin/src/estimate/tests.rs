use super::*;

fn estimate(blocks: usize, half_width: f64) -> Estimate {
    Estimate { value: 100.0, low: 100.0 - half_width, high: 100.0 + half_width, mean: 100.0, blocks }
}

#[test]
fn it_stops_after_three_narrow_looks_in_a_row() {
    let mut until = Until::new(0.02);
    let verdicts: Vec<Verdict> = [3.0, 1.9, 1.9, 2.1, 2.0, 1.5, 1.4]
        .iter()
        .enumerate()
        .map(|(i, w)| until.look(&estimate(20 + i, *w)))
        .collect();
    use Verdict::{GoOn, Stop};
    assert_eq!(verdicts, [GoOn, GoOn, GoOn, GoOn, GoOn, GoOn, Stop]);
}

#[test]
fn it_never_stops_on_few_blocks_or_on_nothing() {
    let mut until = Until::new(0.02);
    for blocks in 6..Until::MIN_BLOCKS {
        assert_eq!(until.look(&estimate(blocks, 0.0)), Verdict::GoOn);
    }
    let nothing = Estimate { value: 0.0, low: 0.0, high: 0.0, mean: 0.0, blocks: 50 };
    for _ in 0..10 {
        assert_eq!(until.look(&nothing), Verdict::GoOn);
    }
}
