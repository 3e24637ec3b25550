use super::*;
use crate::tests::testing::of_lines;

#[test]
fn each_cluster_is_counted_by_itself_and_leaves_nothing_behind() {
    let profile = of_lines("", &[&[("a;b", 3), ("a", 1), ("a;b", 2)], &[("a;b;a", 4)], &[]]);
    let mut tally = Tally::new(&profile);
    let mut seen = Vec::new();
    for cluster in &profile.clusters {
        let (mut stacks, mut functions) = (Vec::new(), Vec::new());
        tally.cluster(
            cluster,
            |stack, weights| stacks.push((stack.index(), weights)),
            |frame, weights| functions.push((profile.frames.get(frame).name, weights)),
        );
        seen.push((stacks, functions));
    }
    assert_eq!(
        seen,
        [
            (vec![(2, [5, 5]), (1, [1, 6]), (0, [0, 6])], vec![("a", [1, 6]), ("b", [5, 5])]),
            (vec![(3, [4, 4]), (2, [0, 4]), (1, [0, 4]), (0, [0, 4])], vec![("a", [4, 4]), ("b", [0, 4])]),
            (vec![], vec![]),
        ]
    );
}

#[test]
fn the_outermost_of_a_function_has_none_below_it() {
    let profile = of_lines("", &[&[("a;b;a", 1), ("b;a", 1), ("a;a;b", 1), ("c", 1)]]);
    let tally = Tally::new(&profile);
    for stack in profile.stacks.iter().skip(1) {
        let frames: Vec<FrameId> = profile.stacks.inwards_out(stack).collect();
        let outermost = (!frames[1..].contains(&frames[0])).then_some(frames[0]);
        assert_eq!(tally.outermost_function(stack), outermost, "{frames:?}");
        assert_eq!(tally.caller(stack), frames.get(1).copied());
    }
}
