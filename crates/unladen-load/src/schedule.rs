//! The principal type is [`Schedule`]: when requests are planned, whatever becomes of earlier ones.
//!
//! ```
//! use std::time::Duration;
//! use unladen_load::{Arrivals, Schedule, Step};
//!
//! let steps = vec![Step::steady(2.0, Duration::from_secs(1)), Step { from: 2.0, to: 6.0, time: Duration::from_secs(1) }];
//! let schedule = Schedule::new(steps, Arrivals::Constant, 0)?;
//! let times: Vec<_> = schedule.times().map(|time| time.as_millis()).collect();
//! assert_eq!(times, [0, 500, 1000, 1366, 1618, 1822]);
//! # Ok::<(), unladen_load::LoadError>(())
//! ```
//!
//! The k-th request is planned where the integral of the rate reaches k (constant arrivals), or the sum of k
//! exponential steps of mean 1 (a Poisson process; Lewis & Shedler 1979, *Naval Research Logistics* 26:403). Each time
//! is computed from the schedule's start, so that rounding errors do not add up.

use std::str::FromStr;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::error::LoadError;
use crate::typed::{RATES, any_rate, time_of};

/// How requests follow each other at a rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Arrivals {
    #[default]
    Constant,
    /// Independently of each other, as users do: some close together, some far apart.
    Poisson,
}

/// A period in which the rate stays, or changes linearly.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    pub from: f64,
    pub to: f64,
    pub time: Duration,
}

/// Consecutive steps, and how requests arrive in them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Schedule {
    steps: Vec<Step>,
    arrivals: Arrivals,
    seed: u64,
}

/// Planned times, since the schedule's start.
#[derive(Clone, Debug)]
pub struct Times {
    steps: std::vec::IntoIter<Step>,
    arrivals: Arrivals,
    rng: fastrand::Rng,
    step: Option<Step>,
    /// Start of the current step, in s since the schedule's start.
    start: f64,
    before: f64,
    next: f64,
}

/// Error for a text that is no step.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not a step: expected RATE:TIME, such as 40:30s, or RATE..RATE:TIME for a ramp, such as \
    10..100:2min"
)]
pub struct StepError {
    pub text: String,
}

// === impl Step ===

impl Step {
    /// 100 years: for schedules that something else ends.
    const ENDLESS: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

    /// A step of constant rate.
    pub fn steady(rate: f64, time: Duration) -> Self {
        Self { from: rate, to: rate, time }
    }

    /// Number of requests planned in the step.
    pub fn requests(&self) -> f64 {
        f64::midpoint(self.from, self.to) * self.time.as_secs_f64()
    }

    /// Seconds from its start until this many requests have been planned; `None` if it ends before.
    fn time_of(&self, requests: f64) -> Option<f64> {
        let seconds = self.time.as_secs_f64();
        let slope = (self.to - self.from) / seconds;
        // The quadratic's root in the form that does not cancel, and holds for a slope of zero.
        let root = (self.from * self.from + 2.0 * slope * requests).max(0.0).sqrt();
        let time = 2.0 * requests / (self.from + root);
        if requests == 0.0 {
            return Some(0.0);
        }
        (time.is_finite() && time < seconds).then_some(time)
    }
}

impl FromStr for Step {
    type Err = StepError;

    fn from_str(text: &str) -> Result<Self, StepError> {
        let wrong = || StepError { text: text.to_owned() };
        let (rates, time) = text.split_once(':').ok_or_else(wrong)?;
        let (from, to) = rates.split_once("..").unwrap_or((rates, rates));
        let rate = |text: &str| any_rate(text).filter(|rate| *rate >= 0.0 && RATES.end() >= rate);
        let (from, to) = rate(from).zip(rate(to)).ok_or_else(wrong)?;
        let time = time_of(time).map_err(|_| wrong())?;
        Ok(Self { from, to, time })
    }
}

impl Schedule {
    /// A schedule of consecutive steps; `seed` repeats the arrivals of a Poisson process. Fails when there is no step,
    /// one has no length, or a rate is out of bounds (0 is allowed at an end of a ramp and for a pause).
    pub fn new(steps: Vec<Step>, arrivals: Arrivals, seed: u64) -> Result<Self, LoadError> {
        let refuse = |what, value: String, expected| Err(LoadError::Config { what, value, expected });
        if steps.iter().all(|step| step.from <= 0.0 && step.to <= 0.0) {
            return refuse("schedule", "empty".into(), "at least one step with a rate above 0");
        }
        for step in &steps {
            if step.time.is_zero() {
                return refuse("length of a step", "0".into(), "a time above 0");
            }
            for rate in [step.from, step.to] {
                if rate != 0.0 && !RATES.contains(&rate) {
                    return refuse("rate", rate.to_string(), "0.001 to 10,000,000 requests a second");
                }
            }
        }
        Ok(Self { steps, arrivals, seed })
    }

    /// One rate until something else ends it. Fails when the rate is out of bounds.
    pub fn steady(rate: f64, arrivals: Arrivals, seed: u64) -> Result<Self, LoadError> {
        Self::new(vec![Step::steady(rate, Step::ENDLESS)], arrivals, seed)
    }

    /// Checks the bounds of a schedule that came from elsewhere.
    pub(crate) fn checked(self) -> Result<Self, LoadError> {
        Self::new(self.steps, self.arrivals, self.seed)
    }

    /// Steps in order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// How requests arrive.
    pub fn arrivals(&self) -> Arrivals {
        self.arrivals
    }

    /// Seed of a Poisson process.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Time between two requests at the highest rate; the mean if arrivals are random.
    pub(crate) fn shortest_gap(&self) -> Duration {
        let highest = self.steps.iter().map(|step| step.from.max(step.to)).fold(0.0, f64::max);
        Duration::try_from_secs_f64(1.0 / highest).unwrap_or(Duration::MAX)
    }

    /// Planned times from the first on.
    pub fn times(&self) -> Times {
        let mut times = Times {
            steps: self.steps.clone().into_iter(),
            arrivals: self.arrivals,
            rng: fastrand::Rng::with_seed(self.seed),
            step: None,
            start: 0.0,
            before: 0.0,
            next: 0.0,
        };
        times.step = times.steps.next();
        if self.arrivals == Arrivals::Poisson {
            times.advance();
        }
        times
    }
}

// === impl Times ===

impl Times {
    fn advance(&mut self) {
        self.next += match self.arrivals {
            Arrivals::Constant => 1.0,
            // 1 − u lies in (0, 1]: its logarithm is finite.
            Arrivals::Poisson => -(1.0 - self.rng.f64()).ln(),
        };
    }
}

impl Iterator for Times {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        loop {
            let step = self.step?;
            let requests = self.next - self.before;
            let is_pause = step.from <= 0.0 && step.to <= 0.0;
            if let Some(time) = step.time_of(requests).filter(|_| !is_pause) {
                self.advance();
                return Duration::try_from_secs_f64(self.start + time).ok();
            }
            self.start += step.time.as_secs_f64();
            self.before += step.requests();
            self.step = self.steps.next();
        }
    }
}

/// When a run stops sending.
#[derive(Clone, Copy, Debug)]
pub struct Stop {
    /// No request is sent after this; those under way are waited for.
    pub until: Instant,
    pub max_requests: Option<u64>,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum End {
    #[default]
    Until,
    Requests,
    Cancelled,
    Failed,
}

impl Stop {
    /// Stops `time` from now.
    pub fn after(time: Duration) -> Self {
        let now = Instant::now();
        // A time beyond the clock's end is beyond any bound on requests too; a century is as good.
        let century = Duration::from_secs(100 * 365 * 24 * 3600);
        Self { until: now.checked_add(time).unwrap_or(now + century), max_requests: None }
    }

    /// Also stops after this many requests.
    #[must_use]
    pub fn or_requests(self, most: u64) -> Self {
        Self { max_requests: Some(most), ..self }
    }
}

#[cfg(test)]
mod tests;
