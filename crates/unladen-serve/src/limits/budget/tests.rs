use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use unladen_observability::ClientMemory;

use super::bounds::{Bodies, FLOOR};
use super::share::{Claim, Share};
use super::{Budget, shed};

const MIB: usize = 1024 * 1024;

#[derive(Default)]
struct Woken(AtomicUsize);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

fn address(last: u8) -> Option<IpAddr> {
    Some(IpAddr::from([192, 0, 2, last]))
}

/// Takes as much as it gets.
fn fill(share: &Arc<Share>) -> Vec<crate::limits::budget::share::Held> {
    std::iter::from_fn(|| share.hold_some(64 * 1024).map(|held| held.outgoing())).take(10_000).collect()
}

#[test]
fn what_is_held_is_given_back() {
    let budget = Budget::new(64 * MIB);
    let share = budget.share(address(1));
    let mut held = share.hold(MIB);
    assert!((MIB - 4096..=MIB + 16 * 1024).contains(&budget.state().held));
    held.set(2 * MIB);
    assert_eq!(share.held(), 2 * MIB);
    drop(share);
    assert!(budget.state().held >= 2 * MIB - 4096, "the piece is still there");
    drop(held);
    assert_eq!(budget.state().held, 0);
    assert!(budget.holders.all().is_empty());
    assert!(budget.bounds.clients().is_empty());
}

#[test]
fn a_short_answer_costs_the_process_no_counting() {
    let budget = Budget::new(64 * MIB);
    let share = budget.share(address(1));
    let _held = share.hold(4096);
    assert_eq!(budget.state().held, 0);
    assert!(budget.holders.all().is_empty());
}

#[test]
fn a_connection_a_client_and_the_process_have_bounds() {
    let budget = Budget::new(48 * MIB);
    let one = budget.share(address(1));
    let _first = fill(&one);
    assert_eq!(one.held(), 3 * MIB, "three fourths of a twelfth of all");
    assert_eq!(one.room(), MIB, "the rest is for what it asks meanwhile");
    let mut more = Vec::new();
    for _ in 0..20 {
        let share = budget.share(address(1));
        more.push((fill(&share), share));
    }
    let of_client = budget.state().held;
    assert!((12 * MIB..17 * MIB).contains(&of_client), "a fourth of all, and the least for each: {of_client}");
    for client in 2..60 {
        for _ in 0..5 {
            let share = budget.share(address(client));
            more.push((fill(&share), share));
        }
    }
    let all = budget.state().held;
    assert!((48 * MIB..=60 * MIB).contains(&all), "all, and a fourth for those who hold little: {all}");
    let reached = budget.state().reached;
    assert!(reached.iter().all(|count| *count > 0), "{reached:?}");
    drop(more);
    assert_eq!(budget.state().held, 3 * MIB);
}

#[test]
fn who_holds_little_is_given_more_while_others_hold_all() {
    let budget = Budget::new(MIB);
    let all = (1..=11).map(|client| budget.share(address(client))).collect::<Vec<_>>();
    let _held = all.iter().map(fill).collect::<Vec<_>>();
    let honest = budget.share(address(200));
    assert!(honest.try_hold(FLOOR / 2).is_some());
}

#[test]
fn who_waits_is_woken_when_something_is_let_go() {
    let budget = Budget::new(MIB);
    let share = budget.share(address(1));
    let mut all = fill(&share);
    let mut claim = Claim::new(share.clone());
    let woken = Arc::new(Woken::default());
    let waker = Waker::from(woken.clone());
    let cx = Context::from_waker(&waker);
    assert!(claim.poll_hold(&cx, 1).is_pending());
    assert_eq!(woken.0.load(Ordering::Relaxed), 0);
    all.pop();
    assert!(woken.0.load(Ordering::Relaxed) >= 1);
    let Poll::Ready(held) = claim.poll_hold(&cx, 16) else { panic!("there is room") };
    assert_eq!(held.bytes(), 16);
}

/// Otherwise they would wake each other for as long as somebody waits.
#[test]
fn who_waits_for_its_own_connection_does_not_have_the_process_look() {
    let budget = Budget::new(64 * MIB);
    let share = budget.share(address(1));
    let _all = fill(&share);
    let mut claim = Claim::new(share.clone());
    let waker = Waker::from(Arc::new(Woken::default()));
    let mut cx = Context::from_waker(&waker);
    assert!(claim.poll_hold(&cx, 1).is_pending());
    let mut told = std::pin::pin!(budget.bounds.look.notified());
    assert!(told.as_mut().poll(&mut cx).is_pending());
}

#[test]
fn what_begins_is_given_no_more_than_all_have_left() {
    let budget = Budget::new(48 * MIB);
    let client = address(1);
    let shares: Vec<_> = (0..200).map(|_| budget.share(client)).collect();
    let held: Vec<_> = shares.iter().filter_map(|share| share.try_hold(256 * 1024)).collect();
    assert!(held.len() < 50, "{} of a fourth of all", held.len());
    assert!(budget.state().held <= 12 * MIB);
    assert!(budget.share(address(2)).try_hold(256 * 1024).is_some());
}

#[test]
fn who_has_gone_is_not_kept_among_those_who_wait() {
    let budget = Budget::new(MIB);
    let share = budget.share(address(1));
    let _all = fill(&share);
    let woken = Arc::new(Woken::default());
    let waker = Waker::from(woken.clone());
    let mut claim = Claim::new(share.clone());
    assert!(claim.poll_hold(&Context::from_waker(&waker), 1).is_pending());
    assert!(Arc::strong_count(&woken) > 2);
    drop(claim);
    assert_eq!(Arc::strong_count(&woken), 2, "this one's and the waker's");
}

#[test]
fn an_end_is_told() {
    let budget = Budget::new(MIB);
    let share = budget.share(None);
    let mut claim = Claim::new(share.clone());
    let woken = Arc::new(Woken::default());
    let waker = Waker::from(woken.clone());
    let cx = Context::from_waker(&waker);
    assert!(!claim.poll_ended(&cx));
    share.end();
    assert_eq!(woken.0.load(Ordering::Relaxed), 1);
    assert!(claim.poll_ended(&cx));
}

/// Looked at twice, a second apart by the clock of the process.
#[test]
fn those_who_take_least_are_ended_and_no_more_of_them_than_is_needed() {
    let budget = Budget::new(MIB);
    let shares = (1..=10).map(|client| budget.share(address(client))).collect::<Vec<_>>();
    // The first holds most, the last takes what it is sent.
    let held =
        shares.iter().enumerate().map(|(i, share)| share.hold((20 - i) * 8 * 1024).outgoing()).collect::<Vec<_>>();
    assert!(budget.bounds.is_short());
    shed(&budget.bounds, &budget.holders, 0);
    assert!(shares.iter().all(|share| !share.is_ended()), "nothing is known of them yet");
    shares[0].took(MIB);
    shed(&budget.bounds, &budget.holders, 500);
    assert!(shares.iter().all(|share| !share.is_ended()), "too early to tell");
    shed(&budget.bounds, &budget.holders, 2000);
    let ended = shares.iter().map(|share| share.is_ended()).collect::<Vec<_>>();
    assert!(!ended[0], "it takes a megabyte in two seconds");
    assert!(ended[1], "of those who take nothing, it holds most");
    assert!(!ended[9], "it holds least");
    assert_eq!(budget.state().ended_slow, ended.iter().filter(|ended| **ended).count() as u64);
    drop((held, shares));
    assert_eq!(budget.state().held, 0);
}

#[test]
fn who_took_much_long_ago_is_looked_at_anew() {
    let budget = Budget::new(MIB);
    let share = budget.share(address(1));
    let _held = share.hold(MIB).outgoing();
    shed(&budget.bounds, &budget.holders, 0);
    share.took(100 * MIB);
    shed(&budget.bounds, &budget.holders, 3_600_000);
    assert!(!share.is_ended());
    shed(&budget.bounds, &budget.holders, 3_602_000);
    assert!(share.is_ended(), "since then it took nothing");
}

#[test]
fn who_waits_for_the_application_is_not_ended() {
    let budget = Budget::new(MIB);
    let share = budget.share(address(1));
    let _held = share.hold(MIB);
    shed(&budget.bounds, &budget.holders, 0);
    shed(&budget.bounds, &budget.holders, 2000);
    assert!(!share.is_ended());
}

#[test]
fn what_is_sent_and_no_longer_stored_is_held_for_who_does_not_read() {
    let budget = Budget::new(4 * MIB);
    let bodies = Bodies::new(MIB as u64);
    budget.set_bodies(vec![bodies.clone()]);
    let mut all = (0..2).map(|_| bodies.count(vec![0; MIB / 2].into())).collect::<Vec<_>>();
    let part = all[0].slice(10..20);
    assert_eq!(budget.state().held, 0, "it is the cache's own");
    all.extend((0..8).map(|_| bodies.count(vec![0; MIB / 2].into())));
    assert_eq!(budget.state().held, 4 * MIB);
    let share = budget.share(address(1));
    let _piece = share.hold(3000).outgoing();
    assert!(share.try_hold(FLOOR).is_none());
    assert!(budget.bounds.is_short());
    let _lot = share.hold(FLOOR);
    shed(&budget.bounds, &budget.holders, 0);
    shed(&budget.bounds, &budget.holders, 2000);
    assert!(share.is_ended());
    drop(all);
    drop(part);
    assert!(budget.state().held < MIB);
}

#[test]
fn of_a_client_that_holds_its_part_those_who_take_least_are_ended_too() {
    let budget = Budget::new(48 * MIB);
    let shares = (0..12).map(|_| budget.share(address(1))).collect::<Vec<_>>();
    let held = shares.iter().map(|share| share.hold(MIB).outgoing()).collect::<Vec<_>>();
    let other = budget.share(address(2));
    let _other = other.hold(MIB).outgoing();
    assert!(budget.bounds.is_short());
    shed(&budget.bounds, &budget.holders, 0);
    shares[3].took(MIB);
    shed(&budget.bounds, &budget.holders, 2000);
    let ended = shares.iter().filter(|share| share.is_ended()).count();
    assert!((2..=4).contains(&ended), "until it holds three fourths of its part: {ended} are ended");
    assert!(!shares[3].is_ended() && !other.is_ended());
    drop((held, shares));
    assert!(!budget.bounds.is_short());
}

#[test]
fn what_waits_for_the_application_does_not_hold_up_what_is_sent() {
    let budget = Budget::new(4 * MIB);
    let share = budget.share(address(1));
    // All that its client may hold, and nothing of it is to be sent.
    let _held = share.hold(MIB);
    assert!(share.try_hold(1).is_none());
    let piece = share.hold_some(FLOOR * 2).expect("room for a piece").outgoing();
    assert_eq!(piece.bytes(), FLOOR);
    assert!(share.hold_some(1).is_none(), "one of them at a time");
}

#[test]
fn heads_of_answers_wait_for_room_and_one_of_a_connection_goes_on() {
    const HEAD: usize = 128 * 1024;
    let budget = Budget::new(48 * MIB);
    let (busy, cx) = (budget.share(address(1)), Context::from_waker(Waker::noop()));
    // Its requests take all that it may have.
    let requests = busy.hold(4 * MIB);
    let mut claims = [Claim::new(busy.clone()), Claim::new(busy.clone())];
    let Poll::Ready(first) = claims[0].poll_answer(&cx, HEAD) else { panic!("requests hold up their answers") };
    assert!(claims[1].poll_answer(&cx, HEAD).is_pending());
    assert!(!busy.is_waiting(), "who waits for the application takes what there is");
    // While it waits to be sent, it counts on.
    let first = first.outgoing();
    assert!(busy.is_waiting() && claims[1].poll_answer(&cx, HEAD).is_pending());
    drop(first);
    assert!(!busy.is_waiting() && claims[1].poll_answer(&cx, HEAD).is_ready());
    drop(requests);
    // Others hold more than the process may.
    let others = budget.share(None).hold(60 * MIB);
    let mut claim = Claim::new(budget.share(address(2)));
    assert!(claim.poll_answer(&cx, HEAD).is_pending());
    drop(others);
    assert!(claim.poll_answer(&cx, HEAD).is_ready());
}
