use super::*;

const STAT: &str = "cpu  1000 0 200 3000 50 0 10 5 7 0\ncpu0 500 0 100 1500 25 0 5 2 3 0\nintr 12\n";

#[test]
fn idle_time_is_the_kernels_fourth_figure() {
    let times = Times::parse(STAT).unwrap();
    assert_eq!(times, Times { idle: 3000, stolen: 5, all: 4265 });
    assert!(Times::read().is_some_and(|own| own.all > own.idle), "of this machine");
    for text in ["", "intr 12\n", "cpu  1 2 3\n", "cpu  1 2 x 4\n"] {
        assert_eq!(Times::parse(text), None, "{text:?}");
    }
}

#[test]
fn what_is_left_is_told_between_two_looks() {
    let then = Times { idle: 100, stolen: 0, all: 1000 };
    assert_eq!(Times { idle: 150, stolen: 0, all: 1200 }.idle_since(then), 0.25);
    assert_eq!(then.idle_since(then), 0.0);
    assert_eq!(Times { idle: 100, stolen: 20, all: 1100 }.stolen_since(then), 0.2);
    // Counters of some virtual machines have gone back.
    assert_eq!(Times { idle: 90, stolen: 0, all: 1200 }.idle_since(then), 0.0);
}
