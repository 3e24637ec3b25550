//! The principal type is [`Background`]: what a counter does besides the requests, over continuous time.
//!
//! Each is a cumulative counter of CPU time: stretches of constant rate, with lumps between them (work that is
//! counted when it ends, as that of a child process is). All but the quiet take 0.4 to 0.5 of a core on average,
//! as much as the requests take on average over on and off phases.

use std::f64::consts::TAU;

use fastrand::Rng;

use crate::random::{exponential, normal, pareto};

/// Ns of CPU in a second of one core.
const CORE: f64 = 1e9;

/// What kind of background.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Hardly anything: ten jobs of 1 ms a second.
    Quiet,
    /// Fifty small jobs a second, at random moments.
    Steady,
    /// A level that climbs from 0.2 to 0.8 of a core over the run, swings with a period of 100 s, and wanders.
    Drifting,
    /// Jobs on the clock: 120 ms each second, 300 ms each other second, 1.5 s each tenth.
    Periodic,
    /// One of two cores taken for a stretch, free for a stretch; each 0.2 to 5 s.
    Bursty,
    /// Two jobs a second on average, whose sizes have no variance: Pareto with exponent 1.3, counted when they end.
    HeavyTailed,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Quiet, Self::Steady, Self::Drifting, Self::Periodic, Self::Bursty, Self::HeavyTailed];

    /// As in the tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Quiet => "quiet",
            Self::Steady => "steady",
            Self::Drifting => "drifting",
            Self::Periodic => "periodic",
            Self::Bursty => "bursty",
            Self::HeavyTailed => "heavy-tailed",
        }
    }
}

/// A stretch of constant rate, and what is added at its end.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    until: f64,
    /// Cores.
    rate: f64,
    /// Ns.
    lump: f64,
}

/// A cumulative counter of a background.
#[derive(Debug)]
pub struct Background {
    rng: Rng,
    source: Source,
    now: f64,
    count: f64,
    stretch: Stretch,
}

/// What makes the stretches.
#[derive(Debug)]
enum Source {
    Quiet,
    Steady,
    Drifting { horizon: f64, swing: f64, wander: f64 },
    Periodic { jobs: [Job; 3] },
    Bursty { busy: bool },
    HeavyTailed,
}

/// A job on the clock.
#[derive(Debug, Clone, Copy)]
struct Job {
    every: f64,
    lasts: f64,
    next: f64,
    ends: f64,
}

impl Background {
    /// One from `seed`, as it will be whenever it is looked at; a drift takes `horizon` (s) for its climb.
    pub fn new(kind: Kind, seed: u64, horizon: f64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let source = match kind {
            Kind::Quiet => Source::Quiet,
            Kind::Steady => Source::Steady,
            Kind::Drifting => Source::Drifting { horizon, swing: rng.f64() * TAU, wander: 0.0 },
            Kind::Periodic => Source::Periodic {
                jobs: [(1.0, 0.12), (2.0, 0.3), (10.0, 1.5)].map(|(every, lasts)| {
                    let next = rng.f64() * every;
                    Job { every, lasts, next, ends: 0.0 }
                }),
            },
            Kind::Bursty => Source::Bursty { busy: rng.bool() },
            Kind::HeavyTailed => Source::HeavyTailed,
        };
        let nothing = Stretch { until: 0.0, rate: 0.0, lump: 0.0 };
        Self { rng, source, now: 0.0, count: 0.0, stretch: nothing }
    }

    /// The count (ns of CPU) at `time` (s). Time only goes forward.
    pub fn count_at(&mut self, time: f64) -> f64 {
        while self.stretch.until <= time {
            self.count += self.stretch.rate * CORE * (self.stretch.until - self.now) + self.stretch.lump;
            self.now = self.stretch.until;
            self.stretch = self.source.next(self.now, &mut self.rng);
        }
        self.count += self.stretch.rate * CORE * (time - self.now).max(0.0);
        self.now = self.now.max(time);
        self.count
    }

    /// Cores that it takes at `time` (s).
    pub fn rate_at(&mut self, time: f64) -> f64 {
        self.count_at(time);
        self.stretch.rate
    }
}

impl Source {
    fn next(&mut self, now: f64, rng: &mut Rng) -> Stretch {
        match self {
            Self::Quiet => Stretch { until: now + exponential(rng, 0.1), rate: 0.0, lump: exponential(rng, 1e6) },
            Self::Steady => Stretch { until: now + exponential(rng, 0.02), rate: 0.0, lump: exponential(rng, 8e6) },
            Self::Drifting { horizon, swing, wander } => {
                *wander += 0.01 * normal(rng);
                let rate = 0.2 + 0.6 * now / *horizon + 0.1 * (TAU * now / 100.0 + *swing).sin() + *wander;
                Stretch { until: now + 0.05, rate: rate.clamp(0.0, 2.0), lump: exponential(rng, 1e6) }
            }
            Self::Periodic { jobs } => {
                let mut until = f64::INFINITY;
                let mut rate = 0.0;
                for job in jobs {
                    if job.next <= now {
                        job.ends = job.next + job.lasts;
                        job.next += job.every;
                    }
                    until = until.min(job.next);
                    if job.ends > now {
                        rate += 1.0;
                        until = until.min(job.ends);
                    }
                }
                Stretch { until, rate, lump: 0.0 }
            }
            Self::Bursty { busy } => {
                *busy = !*busy;
                let lasts = exponential(rng, 1.2).clamp(0.2, 5.0);
                Stretch { until: now + lasts, rate: if *busy { 1.0 } else { 0.0 }, lump: 0.0 }
            }
            Self::HeavyTailed => {
                Stretch { until: now + exponential(rng, 0.5), rate: 0.0, lump: pareto(rng, 46e6, 1.3) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_background_does_not_depend_on_when_it_is_looked_at() {
        for kind in Kind::ALL {
            let mut often = Background::new(kind, 7, 30.0);
            for step in 0..30_000 {
                often.count_at(f64::from(step) * 1e-3);
            }
            let (often, once) = (often.count_at(30.0), Background::new(kind, 7, 30.0).count_at(30.0));
            assert!((often - once).abs() < 1.0, "{kind:?}: {often} and {once}");
        }
    }

    #[test]
    fn each_takes_as_much_as_its_description_says() {
        for kind in Kind::ALL {
            let mut cores: Vec<f64> =
                (0..401).map(|seed| Background::new(kind, seed, 100.0).count_at(100.0) / 100.0 / CORE).collect();
            cores.sort_by(f64::total_cmp);
            let median = cores[200];
            let expected = if kind == Kind::Quiet { 0.005..0.02 } else { 0.25..0.6 };
            assert!(expected.contains(&median), "{kind:?}: {median}");
        }
    }
}
