use super::*;

/// One core, so that what is done can be added up.
const PLAIN: Costs =
    Costs { name: "plain", publish: 40e-6, each: 100e-6, beat: 30e-6, look: 20e-6, listed: 1e-6, cores: 1.0 };

/// Of Poisson's arrivals at a core, each of which takes the same, the mean wait is known (Pollaczek and Khinchine).
#[test]
fn a_queue_is_as_long_as_arithmetic_has_it() {
    let mut random = Rng::with_seed(7);
    let (cost, load, count) = (1.0, 0.7, 200_000);
    let (mut queue, mut now, mut waited) = (Queue::of(1), 0.0, 0.0);
    for _ in 0..count {
        now += -(1.0 - random.f64()).ln() * cost / load;
        waited += queue.serve(now, cost) - now - cost;
    }
    let expected = load * cost / (2.0 * (1.0 - load));
    let mean = waited / f64::from(count);
    assert!((mean / expected - 1.0).abs() < 0.05, "{mean} instead of {expected}");
    // Two cores are free twice as soon.
    let mut two = Queue::of(2);
    assert_eq!([two.serve(0.0, 1.0), two.serve(0.0, 1.0), two.serve(0.0, 1.0)], [1.0, 1.0, 2.0]);
}

/// One node, and nothing else to do: the delay is the sum of its steps, and a look that comes a fourth too late at most.
#[test]
fn the_delay_of_one_node_is_the_sum_of_its_steps() {
    let fleet = Fleet { nodes: 1, lease: 60.0, rate: 0.01, costs: &PLAIN };
    let told = fleet.run(40, 3);
    let confirmed = WAY + PLAIN.publish + 2.0 * WAY + PLAIN.each + 2.0 * WAY + FORGET;
    let look = PLAIN.look + PLAIN.listed + WAY;
    for delay in &told.delays {
        assert!(*delay >= confirmed + look - 1e-9, "{delay} is shorter than its steps: {confirmed} and {look}");
        assert!(*delay < 1.25 * confirmed + 2.0 * FIRST + 2.0 * WAY + look, "{delay}");
    }
}

/// Of many nodes that are told at once, the engine does one after the other: its time is their sum.
#[test]
fn the_delay_of_many_nodes_is_the_engines_time_for_all() {
    let fleet = Fleet { nodes: 500, lease: 60.0, rate: 0.01, costs: &PLAIN };
    let told = fleet.run(20, 5);
    let sum = fleet.purge_time();
    let (least, most) = (told.delays[0], told.delays[19]);
    assert!(least > sum, "{least} is shorter than the engine's time, {sum}");
    // Looks come besides, and are a fourth too late at most, or as late as the list is long.
    let looks = told.looks * (PLAIN.look + 500.0 * PLAIN.listed);
    assert!(most < 1.25 * (sum + looks + 10.0 * WAY) + 500.0 * EACH, "{most} is much longer than {sum}");
}

#[test]
fn the_load_is_what_arithmetic_has_it() {
    let fleet = Fleet { nodes: 40, lease: 2.0, rate: 5.0, costs: &PLAIN };
    let told = fleet.run(400, 11);
    let looks = told.looks * (PLAIN.look + 40.0 * PLAIN.listed);
    let expected = fleet.idle_load() + fleet.rate * (fleet.purge_time() + looks);
    // Poisson's 400 purges take a tenth more or less time.
    assert!((told.load / expected - 1.0).abs() < 0.15, "{} instead of {expected}", told.load);
    assert!(fleet.rate_at(0.7) > fleet.rate && fleet.rate_at(fleet.idle_load()) == 0.0);
}

#[test]
fn a_seed_makes_the_same_again() {
    let fleet = Fleet { nodes: 20, lease: 2.0, rate: 50.0, costs: &PLAIN };
    assert_eq!(fleet.run(50, 1), fleet.run(50, 1));
    assert_ne!(fleet.run(50, 1), fleet.run(50, 2));
}
