use proptest::prelude::*;

use super::*;

#[test]
fn a_few_a_second_are_always_there_and_then_the_share() {
    let budget = Budget::new(0.2);
    let withdrawn = (0..1_000).filter(|_| budget.withdraw(0)).count();
    assert_eq!(withdrawn, 30, "three a second for ten seconds");
    for _ in 0..100 {
        budget.deposit(1_000);
    }
    let withdrawn = (0..1_000).filter(|_| budget.withdraw(1_000)).count();
    assert_eq!(withdrawn, 20, "a fifth of a hundred");
    assert_eq!((0..1_000).filter(|_| budget.withdraw(30_000)).count(), 30, "all of that is long ago");
}

#[test]
fn no_share_is_no_retry() {
    let budget = Budget::new(0.0);
    budget.deposit(0);
    assert!(!budget.withdraw(0));
}

#[test]
fn threads_do_not_overdraw_it() {
    let budget = Budget::new(0.5);
    for _ in 0..1_000 {
        budget.deposit(0);
    }
    let withdrawn: usize = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..4).map(|_| scope.spawn(|| (0..1_000).filter(|_| budget.withdraw(0)).count())).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(withdrawn, 530);
}

proptest! {
    #[test]
    fn within_any_ten_seconds_no_more_than_the_share_and_the_few(
        share in 0.01_f64..1.0,
        events in prop::collection::vec((0_u64..500, 0_u32..5, 0_u32..5), 1..200),
    ) {
        let budget = Budget::new(share);
        let (mut now, mut deposits, mut withdrawals) = (0, Vec::new(), Vec::new());
        for (pause, requests, wanted) in events {
            now += pause;
            for _ in 0..requests {
                budget.deposit(now);
                deposits.push(now);
            }
            for _ in 0..wanted {
                let lately = |times: &[u64]| times.iter().filter(|at| *at / 1_000 + 10 > now / 1_000).count() as f64;
                let may = lately(&withdrawals) + 1.0 <= share * lately(&deposits) + 30.0;
                prop_assert_eq!(budget.withdraw(now), may);
                if may {
                    withdrawals.push(now);
                }
            }
        }
    }
}

#[test]
fn the_bound_doubles_up_to_the_longest() {
    let millis = Duration::from_millis;
    let bounds: Vec<_> = (0..8).map(|attempt| bound(attempt, millis(25), millis(250))).collect();
    let expected = [25, 25, 50, 100, 200, 250, 250, 250].map(millis);
    assert_eq!(bounds, expected);
    for attempt in [32, 33, 34, u32::MAX] {
        assert_eq!(bound(attempt, millis(25), millis(250)), millis(250), "{attempt}");
    }
    assert_eq!(bound(3, Duration::MAX, Duration::MAX), Duration::MAX, "it does not overflow");
}

#[test]
fn waits_are_spread_over_the_whole_length() {
    let settings = RetrySettings::default();
    let waits: Vec<_> = (0..10_000).map(|_| delay(2, &settings).as_secs_f64() / 0.05).collect();
    assert!(waits.iter().all(|wait| (0.0..1.0).contains(wait)));
    // Uniform: 1,000 in each tenth, give or take five standard deviations (30 each).
    for tenth in 0..10 {
        let range = f64::from(tenth) / 10.0..f64::from(tenth + 1) / 10.0;
        let count = waits.iter().filter(|wait| range.contains(wait)).count();
        assert!((850..=1_150).contains(&count), "{range:?}: {count}");
    }
}
