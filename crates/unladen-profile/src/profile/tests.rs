use proptest::prelude::*;

use super::*;
use crate::tests::testing::{of_lines, profiles};

#[test]
fn what_a_stack_weighs_is_by_itself_or_with_all_that_lie_on_it() {
    let profile = of_lines("", &[&[("a;b", 2), ("a;b;c", 3), ("a", 1)], &[("a;b", 10)]]);
    assert_eq!(profile.self_weights(), [0, 1, 12, 3]);
    assert_eq!(profile.total_weights(), [16, 16, 15, 3]);
    assert_eq!((profile.total(), profile.clusters[0].total()), (16, 6));
}

#[test]
fn requests_are_known_or_not() {
    let mut profile = of_lines("", &[&[], &[]]);
    assert_eq!(profile.requests(), Some(2));
    profile.about.are_requests = false;
    assert_eq!(profile.requests(), None);
    profile.about.requests = Some(7);
    assert_eq!(profile.requests(), Some(7));
}

#[test]
fn sums_stay_at_the_largest() {
    let mut profile = of_lines("", &[&[("a;b", u64::MAX), ("a;b", 1), ("a", 1)], &[("a;b", 1)]]);
    assert_eq!(profile.total(), u64::MAX);
    assert_eq!(profile.total_weights(), [u64::MAX; 3]);
    profile.clusters[0].compact();
    assert_eq!(profile.clusters[0].weights.len(), 2);
}

proptest! {
    #[test]
    fn what_is_put_together_weighs_the_same(profile in profiles()) {
        let mut compact = profile.clone();
        compact.clusters.iter_mut().for_each(Cluster::compact);
        prop_assert_eq!(compact.self_weights(), profile.self_weights());
        for (cluster, before) in compact.clusters.iter().zip(&profile.clusters) {
            prop_assert!(cluster.weights.windows(2).all(|pair| pair[0].0 < pair[1].0));
            let key = |count: &CallCount| (count.caller, count.callee);
            prop_assert!(cluster.calls.windows(2).all(|pair| key(&pair[0]) < key(&pair[1])));
            for count in &cluster.calls {
                let calls: u64 = before.calls.iter().filter(|other| key(other) == key(count)).map(|other| other.calls).sum();
                prop_assert_eq!(count.calls, calls);
            }
        }
    }
}
