use super::*;

#[test]
fn each_is_counted_by_itself() {
    let counts = TierCounts::default();
    counts.asked(Asked::Failed);
    counts.asked(Asked::Answered);
    counts.asked(Asked::Failed);
    counts.answering(Answering::Behind);
    counts.stranger();
    assert_eq!(counts.state(), TierState { asked: [1, 0, 2], answering: [0, 0, 1], strangers: 1 });
}
