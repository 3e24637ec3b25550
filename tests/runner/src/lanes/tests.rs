use super::*;

#[test]
fn one_more_than_the_cores_run_anyway_and_no_more_than_twice_as_many() {
    let long_ago = |idle| Lanes {
        cores: 2,
        looked: Instant::now().checked_sub(2 * LOOK).map(|when| (when, Times::of(if idle { 0 } else { u64::MAX }, 0))),
    };
    for idle in [true, false] {
        for running in 0..3 {
            assert!(long_ago(idle).has_room(running));
        }
        assert!(!long_ago(idle).has_room(5));
    }
    // A machine that was never idle has nothing left.
    assert!(!long_ago(false).has_room(3));
    // Just looked at: what began then does not show yet.
    let mut lanes = long_ago(true);
    assert!(lanes.has_room(2));
    assert!(!lanes.has_room(3));
}
