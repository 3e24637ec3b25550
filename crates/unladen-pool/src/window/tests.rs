use std::sync::Arc;

use proptest::prelude::*;

use super::*;

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn what_is_older_than_the_window_does_not_count() {
    let window = Window::new(10 * SECOND);
    window.good(0);
    window.bad(999);
    assert_eq!(window.counts(9_999), Counts { good: 1, bad: 1 }, "still in the last ten parts");
    assert_eq!(window.counts(10_000), Counts::default());
    assert_eq!(Window::new(SECOND).counts(5), Counts::default(), "nothing happened yet");
}

#[test]
fn a_part_that_is_full_keeps_its_ratio() {
    let window = Window::new(10 * SECOND);
    for count in 0..3_000_000_u32 {
        if count % 4 == 0 { window.bad(5) } else { window.good(5) }
    }
    let counts = window.counts(5);
    let share = counts.bad as f64 / (counts.good + counts.bad) as f64;
    assert!((share - 0.25).abs() < 0.001, "{counts:?}");
    assert!(counts.good > COUNT / 4, "{counts:?}");
}

#[test]
fn threads_lose_no_count() {
    let window = Arc::new(Window::new(10 * SECOND));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for now_ms in 0..9_000 {
                    window.good(now_ms);
                    window.bad(now_ms);
                }
            });
        }
    });
    // A thread may be a part behind another, never a whole window: each part is begun once.
    assert_eq!(window.counts(8_999), Counts { good: 36_000, bad: 36_000 });
}

proptest! {
    #[test]
    fn it_counts_as_a_list_of_all_events_does(
        over_ms in 10_u64..20_000,
        events in prop::collection::vec((0_u64..3_000, any::<bool>()), 0..300),
    ) {
        let window = Window::new(Duration::from_millis(over_ms));
        let part_ms = over_ms / 10;
        let mut now = 0;
        let mut all = Vec::new();
        for (pause, ok) in events {
            now += pause;
            if ok { window.good(now) } else { window.bad(now) }
            all.push((now / part_ms, ok));
            let count = |wanted| all.iter().filter(|(part, ok)| part + 10 > now / part_ms && *ok == wanted).count() as u64;
            prop_assert_eq!(window.counts(now), Counts { good: count(true), bad: count(false) });
        }
    }
}
