//! A simulation of [`Discipline`] in front of some workers: arrivals and service times are drawn (from a seed), time is
//! counted, nothing waits.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::{Duration, Instant};

use crate::limits::queue::discipline::Discipline;
use crate::limits::queue::{Flow, Refusal, Why};

const WAIT: Duration = Duration::from_secs(5);
const WORKERS: usize = 4;

/// What came of it.
#[derive(Debug, Default, PartialEq)]
struct Outcome {
    arrived: usize,
    /// How long they waited who were served, by client.
    served: BTreeMap<u8, Vec<Duration>>,
    refused: BTreeMap<&'static str, usize>,
    /// Time that workers worked.
    worked: Duration,
    elapsed: Duration,
    /// Refused, by client.
    lost: BTreeMap<u8, usize>,
    overload: usize,
}

/// A request: whose it is, and since when.
type Item = (u8, Instant);

struct Simulation {
    queue: Discipline<Item>,
    random: fastrand::Rng,
    began: Instant,
    now: Instant,
    /// When workers are done: by time, and a number for those at the same time.
    done: BTreeMap<(Instant, u64), u8>,
    service: Duration,
    outcome: Outcome,
    number: u64,
}

impl Simulation {
    fn new(service: Duration, seed: u64) -> Self {
        Self::of_length(1000, service, seed)
    }

    fn of_length(length: usize, service: Duration, seed: u64) -> Self {
        let began = Instant::now();
        Self {
            queue: Discipline::new(WORKERS, length, WAIT),
            random: fastrand::Rng::with_seed(seed),
            began,
            now: began,
            done: BTreeMap::new(),
            service,
            outcome: Outcome::default(),
            number: 0,
        }
    }

    /// Exponentially distributed.
    fn draw(&mut self, mean: Duration) -> Duration {
        mean.mul_f64(-(1.0 - self.random.f64()).ln())
    }

    fn arrive(&mut self, client: u8) {
        self.outcome.arrived += 1;
        if self.done.len() < WORKERS {
            return self.work((client, self.now));
        }
        let flow = Flow::of(Some(IpAddr::from([10, 0, 0, client])), None);
        let mut refused = Vec::new();
        if let Err(refusal) = self.queue.push(self.now, flow, None, (client, self.now), &mut refused) {
            refused.push(((client, self.now), refusal));
        }
        self.refuse(refused);
    }

    fn refuse(&mut self, refused: Vec<(Item, Refusal)>) {
        for ((client, _), Refusal { why, .. }) in refused {
            *self.outcome.refused.entry(why.reason().as_str()).or_default() += 1;
            *self.outcome.lost.entry(client).or_default() += 1;
        }
    }

    fn work(&mut self, (client, since): Item) {
        self.outcome.served.entry(client).or_default().push(self.now - since);
        let takes = self.draw(self.service);
        self.outcome.worked += takes;
        self.number += 1;
        self.done.insert((self.now + takes, self.number), client);
    }

    /// Until then, workers work: gives the client of each that is done to `on_done`.
    fn until(&mut self, at: Instant, mut on_done: impl FnMut(&mut Self, u8)) {
        while let Some((&(ends, number), &client)) = self.done.first_key_value()
            && ends <= at
        {
            self.done.remove(&(ends, number));
            self.now = ends;
            let mut refused = Vec::new();
            let next = self.queue.next(self.now, &mut refused);
            self.outcome.overload += usize::from(self.queue.is_overload(self.now));
            self.refuse(refused);
            if let Some(item) = next {
                self.work(item);
            }
            on_done(self, client);
        }
        self.now = at;
    }

    /// Poisson arrivals at this share of what the workers can do, of so many clients.
    fn load(mut self, share: f64, clients: u8, lasts: Duration) -> Outcome {
        let between = self.service.div_f64(WORKERS as f64 * share);
        while self.now - self.began < lasts {
            let next = self.now + self.draw(between);
            self.until(next, |_, _| ());
            let client = self.random.u8(0..clients);
            self.arrive(client);
        }
        self.outcome.elapsed = self.now - self.began;
        self.outcome
    }
}

impl Outcome {
    /// Of the time that workers have, what they worked.
    fn goodput(&self) -> f64 {
        self.worked.as_secs_f64() / (self.elapsed.as_secs_f64() * WORKERS as f64)
    }

    fn waited(&self, quantile: f64) -> Duration {
        let mut all: Vec<Duration> = self.served.values().flatten().copied().collect();
        all.sort();
        all[((all.len() - 1) as f64 * quantile) as usize]
    }

    fn share_refused(&self, why: Why) -> f64 {
        self.refused.get(why.reason().as_str()).copied().unwrap_or(0) as f64 / self.arrived as f64
    }
}

const PAGE: Duration = Duration::from_millis(20);

#[test]
fn ten_times_what_it_can_do_keeps_all_workers_at_work_and_waits_short() {
    for (service, seed) in [(PAGE, 1), (PAGE, 2), (Duration::from_millis(300), 3)] {
        let outcome = Simulation::new(service, seed).load(10.0, 200, Duration::from_secs(60));
        assert!(outcome.goodput() > 0.99, "{:?}: {}", service, outcome.goodput());
        // A tenth of the longest wait, once there is overload, or a turn of the workers where that is longer.
        let usual = (WAIT / 10).max(service * 4);
        assert!(outcome.waited(0.9) < usual, "{:?}: {:?}", service, outcome.waited(0.9));
        assert!(outcome.waited(0.999) <= WAIT, "{:?}", outcome.waited(0.999));
    }
}

#[test]
fn a_little_more_than_it_can_do_costs_nothing_of_what_it_can() {
    for seed in [4, 5] {
        let outcome = Simulation::new(PAGE, seed).load(1.1, 100, Duration::from_secs(120));
        assert!(outcome.goodput() > 0.98, "{}", outcome.goodput());
        assert!(outcome.waited(0.5) < WAIT / 5, "{:?}", outcome.waited(0.5));
    }
}

#[test]
fn a_load_that_it_can_carry_is_not_taken_for_overload() {
    for (service, share, most) in [
        (PAGE, 0.9, 1e-9),
        (Duration::from_millis(300), 0.9, 0.01),
        (Duration::from_millis(300), 0.8, 0.0005),
        // Of these, the longest wait alone would refuse eight in a hundred, and one in two hundred (Erlang's C).
        (Duration::from_secs(2), 0.8, 0.04),
        (Duration::from_secs(2), 0.6, 0.004),
    ] {
        let outcome = Simulation::new(service, 6).load(share, 50, service * 8_000);
        let refused = outcome.share_refused(Why::Overloaded);
        assert!(refused <= most, "{service:?} at {share}: {refused}");
    }
}

/// Whoever gives one up for another is the same client each time, though the lines are in no order.
#[test]
fn a_simulation_of_the_same_seed_came_out_another() {
    let run = || Simulation::of_length(40, PAGE, 9).load(3.0, 20, Duration::from_secs(20));
    let first = run();
    assert!(first.share_refused(Why::Full) > 0.1, "{first:?}");
    assert_eq!(first, run());
}

#[test]
fn a_burst_that_is_over_in_time_is_carried() {
    let mut simulation = Simulation::new(PAGE, 7);
    // Four seconds' worth at once, of many.
    for number in 0..800_u32 {
        simulation.arrive((number % 100) as u8);
    }
    let end = simulation.now + Duration::from_secs(60);
    simulation.until(end, |_, _| ());
    let lost: usize = simulation.outcome.lost.values().sum();
    assert!(lost < 40, "{lost} of 800");
}

/// One client with a hundred connections, each of which asks again as soon as it is answered or refused, and five that
/// ask twice a second.
#[test]
fn a_greedy_client_takes_nothing_from_polite_ones() {
    const GREEDY: u8 = 0;
    let mut simulation = Simulation::new(PAGE, 8);
    (0..100).for_each(|_| simulation.arrive(GREEDY));
    let mut asked = 0;
    for half in 0..240_u64 {
        for polite in 1..=5 {
            simulation.arrive(polite);
            asked += 1;
        }
        let at = simulation.began + Duration::from_millis(500 * (half + 1));
        let mut lost = simulation.outcome.lost.get(&GREEDY).copied().unwrap_or(0);
        simulation.until(at, |simulation, client| {
            let lost_now = simulation.outcome.lost.get(&GREEDY).copied().unwrap_or(0);
            let again = usize::from(client == GREEDY) + (lost_now - lost);
            lost = lost_now;
            (0..again).for_each(|_| simulation.arrive(GREEDY));
        });
    }
    let outcome = &simulation.outcome;
    let polite: Vec<Duration> =
        (1..=5).flat_map(|client| outcome.served.get(&client).cloned().unwrap_or_default()).collect();
    assert_eq!(polite.len(), asked, "{:?}", outcome.lost);
    assert!(polite.iter().all(|waited| *waited < WAIT / 10), "{:?}", polite.iter().max());
    assert!(outcome.overload > 0 && outcome.lost.contains_key(&GREEDY), "{:?}", outcome.lost);
    assert!(outcome.served[&GREEDY].len() > 10 * asked, "the workers are not idle meanwhile");
}
