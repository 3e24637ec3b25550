use unladen_probe::{GroupBy, ProcessGroups, StackSample};

use super::*;

const MS: u64 = 1_000_000;

/// Groups as there are; ids are only given by those who know processes.
fn groups<const N: usize>() -> [GroupId; N] {
    let mut groups = ProcessGroups::open(GroupBy::Exe);
    std::array::from_fn(|index| {
        // Above the largest id that Linux gives out (2²²).
        let pid = (1 << 23) + index as u32;
        groups.of(&StackSample { pid, comm: format!("p{index}"), uid: 4_000_000_000, ..StackSample::default() })
    })
}

#[test]
fn who_is_there_only_with_requests_follows() {
    let [php, burner, rare] = groups();
    let mut following = Following::default();
    for stretch in 0..20 {
        let noise = [burner].repeat(18 + stretch % 5);
        following.add(true, 20 * MS, [php].repeat(5 + stretch % 3).into_iter().chain(noise.clone()));
        following.add(false, 20 * MS, noise.into_iter().chain((stretch == 3).then_some(rare)));
    }
    let followers = following.followers();
    assert_eq!(followers.iter().map(|follower| follower.group).collect::<Vec<_>>(), [php]);
    assert!((250.0..350.0).contains(&followers[0].on) && followers[0].off == 0.0, "{followers:?}");
    assert_eq!(following.requests(), 20);
}

#[test]
fn who_follows_may_do_other_things_too() {
    let [php] = groups();
    let mut following = Following::default();
    for stretch in 0..20 {
        following.add(true, 10 * MS, [php].repeat(8 + stretch % 2));
        following.add(false, 15 * MS, [php].repeat(3 + stretch % 3));
    }
    let followers = following.followers();
    assert_eq!(followers.len(), 1);
    assert!((followers[0].off / followers[0].on - 0.31).abs() < 0.05, "{followers:?}");
    assert!(!followers[0].is_mostly_background());
    assert!(Follower { off: 70.0, on: 100.0, ..followers[0] }.is_mostly_background());
}

#[test]
fn who_is_there_less_with_requests_does_not() {
    let [idler] = groups();
    let mut following = Following::default();
    for stretch in 0..20 {
        following.add(true, 10 * MS, [idler].repeat(stretch % 2));
        following.add(false, 10 * MS, [idler].repeat(8));
    }
    assert_eq!(following.followers(), []);
}

#[test]
fn two_requests_tell_nothing() {
    let [php] = groups();
    let mut following = Following::default();
    for _ in 0..2 {
        following.add(true, 10 * MS, [php; 10]);
        following.add(false, 10 * MS, []);
    }
    assert_eq!(following.followers(), []);
    assert_eq!(Following::default().followers(), []);
}

#[test]
fn chance_is_seldom_taken_for_following() {
    let all = groups::<10>();
    let mut random = fastrand::Rng::with_seed(4711);
    let mut named = 0;
    for _ in 0..200 {
        let mut following = Following::default();
        for stretch in 0..60 {
            let seen: Vec<GroupId> = all.iter().flat_map(|group| [*group].repeat(random.usize(0..6))).collect();
            following.add(stretch % 2 == 0, 10 * MS, seen);
        }
        named += usize::from(!following.followers().is_empty());
    }
    // One in twenty runs names any, and only those that are there more: half of that. 4 σ.
    assert!(named <= 5 + 9, "{named} of 200");
}
