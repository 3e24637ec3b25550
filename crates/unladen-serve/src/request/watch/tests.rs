use std::future::pending;
use std::pin::pin;
use std::time::Duration;

use super::*;

const SHORT: Duration = Duration::from_millis(20);
const LONG: Duration = Duration::from_secs(600);

fn run<F: Future>(test: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test)
}

#[test]
fn what_takes_too_long_ends_and_what_does_not_is_given() {
    run(async {
        let mut watch = Watch::new();
        for _ in 0..3 {
            let deadline = Deadline::new(Instant::now(), SHORT, None);
            assert_eq!(watch.over(&deadline, pin!(pending::<()>())).await, None);
            assert!(Instant::now() >= deadline.at.get());
            let deadline = Deadline::new(Instant::now(), LONG, None);
            assert_eq!(watch.over(&deadline, pin!(async { 7 })).await, Some(7));
        }
    });
}

#[test]
fn a_deadline_moves_both_ways() {
    run(async {
        let mut watch = Watch::new();
        // Further away, again and again.
        let deadline = Deadline::new(Instant::now(), SHORT, None);
        let work = async {
            for _ in 0..10 {
                deadline.renew(10 * SHORT);
                tokio::time::sleep(SHORT).await;
            }
        };
        assert_eq!(watch.over(&deadline, pin!(work)).await, Some(()));
        // Nearer, while it is waited for.
        let deadline = Deadline::new(Instant::now(), LONG, None);
        let work = async {
            tokio::time::sleep(SHORT).await;
            deadline.renew(SHORT);
            pending::<()>().await;
        };
        assert_eq!(watch.over(&deadline, pin!(work)).await, None);
        assert!(!deadline.is_last());
    });
}

#[test]
fn no_part_goes_beyond_the_bound_of_the_whole() {
    let now = Instant::now();
    let deadline = Deadline::new(now, SHORT, Some(now + 2 * SHORT));
    assert!(!deadline.is_last());
    assert_eq!(deadline.left(), Some(2 * SHORT));
    deadline.set(LONG);
    assert_eq!(deadline.at.get(), now + 2 * SHORT);
    assert!(deadline.is_last());
    // No sum is beyond what can be told.
    let deadline = Deadline::new(now, Duration::MAX, None);
    assert!(deadline.at.get() > now + LONG);
    assert!(!deadline.is_last());
    run(async {
        let deadline = Deadline::new(Instant::now(), LONG, Some(Instant::now() + SHORT));
        let work = async {
            loop {
                deadline.renew(LONG);
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        assert_eq!(Watch::new().over(&deadline, pin!(work)).await, None::<()>);
        assert!(deadline.is_last());
    });
}

#[test]
fn who_is_not_waited_for_is_not_slow() {
    let pace = Pace { grace: Duration::from_secs(20), rate: Some(500) };
    let (mut stretch, began) = (Stretch::default(), Instant::now());
    let at = |seconds| began + Duration::from_secs(seconds);
    assert_eq!(stretch.until(pace, true, at(0), 100), Some(at(20)));
    assert_eq!(stretch.until(pace, true, at(5), 1100), Some(at(22)));
    assert_eq!(stretch.until(pace, false, at(600), 1100), None);
    assert_eq!(stretch.until(pace, true, at(700), 1200), Some(at(720)));
}
