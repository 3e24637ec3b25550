//! The principal type is [`Subject`]: a server whose requests cost a known time on average.

use fastrand::Rng;

use crate::background::Background;
use crate::random::lognormal;

/// How the costs of single requests vary.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Costs {
    /// Lognormal with a coefficient of variation of 0.3: a page whose work hardly varies.
    Even,
    /// The same, and one request in a hundred costs ten times as much: a cache that misses.
    RarelyDear,
    /// The same, but one in a thousand costs a hundred times as much: a cache that is filled anew, an expiry job.
    SeldomVeryDear,
}

/// Mean cost of a request without the rare ones, ns.
const MEAN: f64 = 20e6;
/// The part of a cost that is spent after the response: logging, freeing, statistics.
const AFTER: f64 = 0.1;
/// How long that takes, s.
const AFTER_LASTS: f64 = 0.03;
/// What a response takes besides CPU, s.
const WAIT: f64 = 1e-3;
/// How much slower a response is per core that the background takes: shared caches and memory, queues.
const CONTENTION: f64 = 0.3;

/// A server, as seen by one client that waits for each response.
#[derive(Debug)]
pub struct Subject {
    rng: Rng,
    costs: Costs,
    /// Ns, of all requests so far.
    spent: f64,
    /// Of the last requests: when its response was there, and the cost after it.
    after: [(f64, f64); 4],
}

impl Costs {
    /// What a request costs on average, ns: the truth.
    pub fn truth(self) -> f64 {
        let (share, times) = self.dear();
        MEAN * (1.0 - share + share * times)
    }

    /// The share of dear requests, and how many times as dear they are.
    fn dear(self) -> (f64, f64) {
        match self {
            Self::Even => (0.0, 1.0),
            Self::RarelyDear => (0.01, 10.0),
            Self::SeldomVeryDear => (0.001, 100.0),
        }
    }

    /// The usual latency, s: what a warm-up would find.
    pub fn latency(self) -> f64 {
        WAIT + MEAN * (1.0 - AFTER) / 1e9
    }
}

impl Subject {
    /// One from `seed`.
    pub fn new(costs: Costs, seed: u64) -> Self {
        Self { rng: Rng::with_seed(seed), costs, spent: 0.0, after: [(0.0, 0.0); 4] }
    }

    /// Sends a request at `time` (s), beside `background`; returns when the response was there.
    pub fn request(&mut self, time: f64, background: &mut Background) -> f64 {
        let mut cost = lognormal(&mut self.rng, MEAN, 0.3);
        let (share, times) = self.costs.dear();
        if self.rng.f64() < share {
            cost *= times;
        }
        let slower = 1.0 + CONTENTION * background.rate_at(time);
        let done = time + WAIT + cost * (1.0 - AFTER) / 1e9 * slower;
        self.spent += cost;
        self.after.rotate_left(1);
        self.after[3] = (done, cost * AFTER);
        done
    }

    /// CPU spent by `time` (s), ns; no request is under way.
    pub fn count_at(&self, time: f64) -> f64 {
        let to_come = |(done, cost): &(f64, f64)| cost * (1.0 - (time - done) / AFTER_LASTS).clamp(0.0, 1.0);
        self.spent - self.after.iter().map(to_come).sum::<f64>()
    }
}
