//! Runs whose truth is known, as documents: the principal type is [`World`].

use fastrand::Rng;
use unladen_document::{
    About, Document, Environment, Interval, Machine, Reference, Span, WeighDocument, WeighedUrl, Weight,
};

use crate::measured::margin;

pub(crate) const URL: &str = "http://localhost/";
const BLOCKS: u64 = 16;

/// How runs vary.
#[derive(Debug, Clone, Copy)]
pub(crate) struct World {
    /// Standard error within a run, as a share.
    pub(crate) within: f64,
    /// Standard deviation of the effect of a run on each counter, as a share.
    pub(crate) between: f64,
    /// Standard deviation of the machine's speed from one run to the next: it wanders.
    pub(crate) wander: f64,
    /// Standard error of a run's reference work; none: there is none.
    pub(crate) reference: Option<f64>,
    /// Share of runs that a burst makes slower, by up to five standard deviations. It hits some of a run's blocks, and so
    /// the run's own intervals widen.
    pub(crate) bursts: f64,
    /// Whether effects of runs have the tails of Student's t of three degrees of freedom.
    pub(crate) heavy: bool,
}

impl World {
    pub(crate) const QUIET: Self =
        Self { within: 0.003, between: 0.003, wander: 0.0, reference: Some(0.001), bursts: 0.0, heavy: false };
}

/// The runs of one machine.
pub(crate) struct Simulated {
    world: World,
    rng: Rng,
    speed: f64,
    runs: u64,
}

impl Simulated {
    pub(crate) fn new(world: World, seed: u64) -> Self {
        Self { world, rng: Rng::with_seed(seed), speed: 0.0, runs: 0 }
    }

    /// From now on the machine takes e^`by` of the time.
    pub(crate) fn slow_down(&mut self, by: f64) {
        self.speed += by;
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * (1.0 - self.rng.f64()).ln()).sqrt() * (std::f64::consts::TAU * self.rng.f64()).cos()
    }

    /// The effect of a run, of standard deviation 1.
    fn effect(&mut self) -> f64 {
        let normal = self.normal();
        if !self.world.heavy {
            return normal;
        }
        let chi: f64 = (0..3).map(|_| self.normal().powi(2)).sum();
        // The variance of Student's t of three degrees of freedom is 3.
        normal / (chi / 3.0).sqrt() / 3.0_f64.sqrt()
    }

    /// A figure and its interval, whose width is an estimate too.
    fn measured(&mut self, truth: f64, error: f64) -> (f64, f64, f64) {
        let degrees = BLOCKS - 1;
        let chi: f64 = (0..degrees).map(|_| self.normal().powi(2)).sum();
        let value = truth * (1.0 + error * self.normal());
        let half = truth * error * (chi / degrees as f64).sqrt() * margin(degrees as f64);
        (value, value - half, value + half)
    }

    /// The next run, whose work on a processor takes `factor` of the usual time.
    pub(crate) fn run(&mut self, factor: f64) -> Document {
        let world = self.world;
        self.speed += world.wander * self.normal();
        self.runs += 1;
        let is_burst = self.rng.f64() < world.bursts;
        let burst = if is_burst { 5.0 * world.between * self.rng.f64() } else { 0.0 };
        let slowness = self.speed.exp();
        // Half of a run's effect is common to all of its counters.
        let common = self.effect();
        let truth = |simulated: &mut Self, usual: f64, own: f64| {
            let effect = world.between * (common + simulated.effect()) / 2.0_f64.sqrt() + burst;
            simulated.measured(usual * own * effect.exp(), world.within.hypot(burst))
        };
        let mut weights = Vec::new();
        let mut total = 0.0;
        for (group, ns, own) in [("php", 18e6, factor), ("db", 4e6, factor), ("nginx", 2e5, factor)] {
            let (value, low, high) = truth(self, ns * slowness, own);
            total += ns * slowness * own;
            weights.push(weight(group, "cpu", "ns", (value, low, high)));
            let (value, low, high) = truth(self, ns * slowness / 4.0, own);
            weights.push(weight(group, "cpu_system", "ns", (value, low, high)));
            weights.push(weight(group, "read_calls", "1", (40.0, 40.0, 40.0)));
            let (value, low, high) = truth(self, 25.0, 1.0);
            weights.push(weight(group, "minor_faults", "1", (value, low, high)));
        }
        let total = truth(self, total, 1.0);
        let latency = |of: (f64, f64, f64)| Interval { low: of.1 as u64, high: of.2 as u64 };
        let (p50, p95) = (truth(self, 24e6 * slowness, factor), truth(self, 40e6 * slowness, factor));
        let url = WeighedUrl {
            url: URL.into(),
            requests: 400,
            blocks: BLOCKS,
            response_bytes: 26_000,
            total_cpu_ns: Some(Span { value: total.0, low: total.1, high: total.2 }),
            latency_ns: [("p50".to_owned(), p50.0 as u64), ("p95".to_owned(), p95.0 as u64)].into(),
            latency_intervals_ns: [("p50".to_owned(), latency(p50)), ("p95".to_owned(), latency(p95))].into(),
            ..WeighedUrl::default()
        };
        let reference = world.reference.map(|error| {
            ["arithmetic", "memory", "syscalls"].map(|name| {
                let (ns, low, high) = self.measured(1000.0 * slowness, error);
                Reference { name: name.into(), ns, low, high }
            })
        });
        let about = About {
            time: Some(format!("2026-11-{:02}T{:02}:00:00Z", 1 + self.runs / 24, self.runs % 24)),
            host: Some("web1".into()),
            seed: Some(self.runs),
            environment: Some(Environment { processors: Some(2), ..Environment::default() }),
            machine: Some(Machine { reference: reference.into_iter().flatten().collect(), ..Machine::default() }),
            ..About::default()
        };
        Document::Weigh(Box::new(WeighDocument {
            schema: "unladen.weigh/1".into(),
            target: URL.into(),
            about,
            weights,
            urls: vec![url],
            ..WeighDocument::default()
        }))
    }
}

fn weight(group: &str, counter: &str, unit: &str, (value, low, high): (f64, f64, f64)) -> Weight {
    Weight {
        url: URL.into(),
        group: group.into(),
        counter: counter.into(),
        unit: unit.into(),
        per_request: value,
        low,
        high,
        noise_floor: value / 1000.0,
        follows: true,
        blocks: BLOCKS,
        ..Weight::default()
    }
}
