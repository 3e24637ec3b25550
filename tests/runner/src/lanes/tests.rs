use super::*;

const STAT: &str = "cpu  1000 0 200 3000 50 0 10 5 7 0\ncpu0 500 0 100 1500 25 0 5 2 3 0\nintr 12\n";

#[test]
fn idle_time_is_the_kernels_fourth_figure() {
    let times = Times::parse(STAT).unwrap();
    assert_eq!(times, Times { idle: 3000, all: 4265 });
    assert!(Times::read().is_some_and(|own| own.all > own.idle), "of this machine");
    for text in ["", "intr 12\n", "cpu  1 2 3\n", "cpu  1 2 x 4\n"] {
        assert_eq!(Times::parse(text), None, "{text:?}");
    }
}

#[test]
fn what_is_left_is_told_between_two_looks() {
    let then = Times { idle: 100, all: 1000 };
    assert_eq!(Times { idle: 150, all: 1200 }.idle_since(then), 0.25);
    assert_eq!(then.idle_since(then), 0.0);
    // Counters of some virtual machines have gone back.
    assert_eq!(Times { idle: 90, all: 1200 }.idle_since(then), 0.0);
}

#[test]
fn one_more_than_the_cores_run_anyway_and_no_more_than_twice_as_many() {
    let long_ago = |idle| Lanes {
        cores: 2,
        looked: Instant::now()
            .checked_sub(2 * LOOK)
            .map(|when| (when, Times { idle: if idle { 0 } else { u64::MAX }, all: 0 })),
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
