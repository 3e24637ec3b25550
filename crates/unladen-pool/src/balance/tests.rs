use std::collections::HashMap;
use std::sync::atomic::Ordering;

use proptest::prelude::*;

use super::*;
use crate::endpoint::Address;

fn endpoints(weights: &[u32]) -> Vec<Arc<Endpoint>> {
    let endpoint = |(index, weight): (usize, &u32)| {
        let address = ([127, 0, 0, index as u8], 80).into();
        Arc::new(Endpoint::new(Address::Tcp(vec![address]), 0, *weight))
    };
    weights.iter().enumerate().map(endpoint).collect()
}

/// Which were taken, by their place, in so many picks without anything in flight.
fn taken(balancer: &Balancer, picks: usize) -> Vec<usize> {
    (0..picks).map(|_| place(balancer, balancer.pick(&[], 0).unwrap())).collect()
}

fn place(balancer: &Balancer, of: &Arc<Endpoint>) -> usize {
    balancer.endpoints().iter().position(|endpoint| Arc::ptr_eq(endpoint, of)).unwrap()
}

fn counts(taken: &[usize]) -> HashMap<usize, usize> {
    taken.iter().fold(HashMap::new(), |mut counts, place| {
        *counts.entry(*place).or_default() += 1;
        counts
    })
}

#[test]
fn no_endpoint_none_taken_and_of_one_that_one_in_any_state() {
    for how in [Balance::LeastRequests, Balance::RoundRobin] {
        assert!(Balancer::new(Vec::new(), how).pick(&[], 0).is_none());
        let one = endpoints(&[1]);
        one[0].healthy.store(false, Ordering::Relaxed);
        assert!(Balancer::new(one.clone(), how).pick(&one, 0).is_some());
    }
}

#[test]
fn equal_ones_take_turns() {
    let balancer = Balancer::new(endpoints(&[1, 1, 1]), Balance::RoundRobin);
    let taken = taken(&balancer, 300);
    for three in taken.windows(3) {
        assert_eq!(counts(three).len(), 3, "{three:?}");
    }
}

#[test]
fn turns_follow_the_weights_smoothly() {
    let balancer = Balancer::new(endpoints(&[5, 1, 1]), Balance::RoundRobin);
    let taken = taken(&balancer, 700);
    let counts = counts(&taken);
    assert!((499..=501).contains(&counts[&0]) && (99..=101).contains(&counts[&1]), "{counts:?}");
    // nginx's order is a a b a c a a: the heavy one never takes all five in a row twice.
    let longest = taken.split(|place| *place != 0).map(<[usize]>::len).max();
    assert!(longest <= Some(5), "{longest:?}");
}

#[test]
fn without_one_that_is_out_the_others_take_turns_evenly() {
    let all = endpoints(&[1, 1, 1, 1]);
    all[1].ejected_until.store(100, Ordering::Relaxed);
    let balancer = Balancer::new(all, Balance::RoundRobin);
    let out = counts(&taken(&balancer, 300));
    assert_eq!([out[&0], out[&2], out[&3]], [100, 100, 100], "not twice as many for the one after it");
    let back: Vec<_> = (0..400).map(|_| place(&balancer, balancer.pick(&[], 100).unwrap())).collect();
    assert!((99..=101).contains(&counts(&back)[&1]), "back at its time, without making up for lost ones");
}

#[test]
fn without_load_weights_alone_decide() {
    let balancer = Balancer::new(endpoints(&[6, 3, 1]), Balance::LeastRequests);
    let counts = counts(&taken(&balancer, 10_000));
    // Binomial: five standard deviations are 245, 230 and 150.
    for (place, expected, off) in [(0, 6_000, 245), (1, 3_000, 230), (2, 1_000, 150)] {
        assert!(counts[&place].abs_diff(expected) < off, "{counts:?}");
    }
}

#[test]
fn among_the_few_that_are_left_weights_decide_as_well() {
    let all = endpoints(&[[3, 1].as_slice(), &[10; 20]].concat());
    for endpoint in &all[2..] {
        endpoint.ejected_until.store(100, Ordering::Relaxed);
    }
    let counts = counts(&taken(&Balancer::new(all, Balance::LeastRequests), 10_000));
    // Binomial: five standard deviations are 217.
    assert!(counts[&0].abs_diff(7_500) < 217 && counts[&0] + counts[&1] == 10_000, "{counts:?}");
}

#[test]
fn requests_in_flight_even_out_by_weight() {
    let balancer = Balancer::new(endpoints(&[4, 2, 1, 1]), Balance::LeastRequests);
    for _ in 0..8_000 {
        balancer.pick(&[], 0).unwrap().in_flight.fetch_add(1, Ordering::Relaxed);
    }
    let in_flight: Vec<_> =
        balancer.endpoints().iter().map(|endpoint| endpoint.in_flight.load(Ordering::Relaxed)).collect();
    for (endpoint, expected) in in_flight.iter().zip([4_000_u32, 2_000, 1_000, 1_000]) {
        assert!(endpoint.abs_diff(expected) < 20, "two choices keep them close together: {in_flight:?}");
    }
}

#[test]
fn a_slow_one_gets_fewer() {
    let all = endpoints(&[1, 1, 1]);
    all[0].in_flight.store(50, Ordering::Relaxed);
    let balancer = Balancer::new(all, Balance::LeastRequests);
    assert!(!taken(&balancer, 1_000).contains(&0), "it loses against each other one");
}

#[test]
fn threads_share_the_turns() {
    let balancer = Balancer::new(endpoints(&[1, 1]), Balance::RoundRobin);
    let all: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| taken(&balancer, 1_000))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(counts(&all), HashMap::from([(0, 2_000), (1, 2_000)]));
}

#[derive(Clone, Copy, Debug)]
struct State {
    healthy: bool,
    out: bool,
    tried: bool,
    weight: u32,
    in_flight: u32,
}

fn state() -> impl Strategy<Value = State> {
    (any::<bool>(), any::<bool>(), any::<bool>(), 0..5_u32, 0..5_u32)
        .prop_map(|(healthy, out, tried, weight, in_flight)| State { healthy, out, tried, weight, in_flight })
}

proptest! {
    #[test]
    fn the_best_that_there_is_is_taken(states in prop::collection::vec(state(), 2..8)) {
        let all = endpoints(&states.iter().map(|state| state.weight).collect::<Vec<_>>());
        for (endpoint, state) in all.iter().zip(&states) {
            endpoint.healthy.store(state.healthy, Ordering::Relaxed);
            endpoint.ejected_until.store(if state.out { 6 } else { 5 }, Ordering::Relaxed);
            endpoint.in_flight.store(state.in_flight, Ordering::Relaxed);
        }
        let tried: Vec<_> = all.iter().zip(&states).filter(|(_, state)| state.tried).map(|(endpoint, _)| endpoint.clone()).collect();
        let rank = |state: &State| match state {
            State { healthy: true, out: false, tried: false, .. } => 0,
            State { healthy: true, out: false, .. } => 1,
            State { healthy: true, tried: false, .. } => 2,
            State { healthy: true, .. } => 3,
            _ => 4,
        };
        let best = states.iter().map(rank).min().unwrap();
        for how in [Balance::LeastRequests, Balance::RoundRobin] {
            let balancer = Balancer::new(all.clone(), how);
            for _ in 0..10 {
                let taken = place(&balancer, balancer.pick(&tried, 5).unwrap());
                prop_assert_eq!(rank(&states[taken]), best);
            }
        }
    }
}

fn placed(of: &[(u32, Option<&str>, bool)]) -> Vec<Placed> {
    let all = endpoints(&vec![1; of.len()]);
    all.into_iter()
        .zip(of)
        .map(|(endpoint, (priority, zone, draining))| Placed {
            endpoint,
            priority: *priority,
            zone: zone.map(str::to_owned),
            draining: *draining,
        })
        .collect()
}

/// How often each was taken, by its address.
fn taken_of(placed: &[Placed], zone: Option<&str>, how: Balance) -> Vec<usize> {
    let balancer = Balancer::of_placed(placed.to_vec(), zone, how);
    let mut counts = vec![0; placed.len()];
    for _ in 0..1_000 {
        if let Some(taken) = balancer.pick(&[], 5) {
            counts[placed.iter().position(|one| Arc::ptr_eq(&one.endpoint, taken)).unwrap()] += 1;
        }
    }
    counts
}

fn eject(placed: &Placed) {
    placed.endpoint.ejected_until.store(6, Ordering::Relaxed);
}

#[test]
fn one_that_is_drained_gets_nothing_even_if_it_is_the_last() {
    for how in [Balance::LeastRequests, Balance::RoundRobin] {
        let all = placed(&[(0, None, true), (0, None, false), (1, None, false)]);
        assert_eq!(taken_of(&all, None, how), [0, 1_000, 0]);
        let all = placed(&[(0, None, true), (0, None, true)]);
        assert_eq!(taken_of(&all, None, how), [0, 0]);
        let balancer = Balancer::of_placed(all, None, how);
        assert!(balancer.is_known() && balancer.endpoints().is_empty() && balancer.placed().len() == 2);
    }
}

#[test]
fn a_later_priority_comes_only_when_none_of_the_one_before_can_be_used() {
    for how in [Balance::LeastRequests, Balance::RoundRobin] {
        let all = placed(&[(7, None, false), (3, None, false), (3, None, false)]);
        let [later, one, other] = taken_of(&all, None, how)[..] else { panic!() };
        assert!(later == 0 && one > 300 && other > 300, "{one} {other}");
        eject(&all[1]);
        assert_eq!(taken_of(&all, None, how), [0, 0, 1_000]);
        eject(&all[2]);
        assert_eq!(taken_of(&all, None, how), [1_000, 0, 0]);
        // A second attempt goes on where the first could not.
        let all = placed(&[(0, None, false), (1, None, false)]);
        let balancer = Balancer::of_placed(all.clone(), None, how);
        let second = balancer.pick(&[all[0].endpoint.clone()], 5).unwrap();
        assert!(Arc::ptr_eq(second, &all[1].endpoint));
    }
}

#[test]
fn requests_stay_in_the_own_zone_while_enough_of_it_is_available() {
    let zones: Vec<_> = (0..10).map(|n| (0, Some(if n < 5 { "a" } else { "b" }), false)).collect();
    for how in [Balance::LeastRequests, Balance::RoundRobin] {
        let all = placed(&zones);
        let own = |zone: Option<&str>| taken_of(&all, zone, how)[..5].iter().sum::<usize>();
        assert_eq!((own(Some("a")), own(Some("b"))), (1_000, 0));
        let anywhere = own(None);
        assert!((400..600).contains(&anywhere), "without a zone of its own: {anywhere}");
        let anywhere = own(Some("c"));
        assert!((400..600).contains(&anywhere), "of a zone without endpoints: {anywhere}");
        eject(&all[0]);
        assert_eq!(own(Some("a")), 1_000, "four of five are enough");
        // Three of five are 60 %: times 1.4, 84 %. Binomial: five standard deviations are 58.
        eject(&all[1]);
        assert!(own(Some("a")).abs_diff(840) < 58);
        eject(&all[2]);
        assert!(own(Some("a")).abs_diff(560) < 79);
        eject(&all[3]);
        eject(&all[4]);
        assert_eq!(own(Some("a")), 0);
        for one in &all {
            eject(one);
        }
        assert_eq!(own(Some("a")), 0, "known to be out, all are alike: a share of nothing stays");
    }
}
