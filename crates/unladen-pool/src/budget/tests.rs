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
