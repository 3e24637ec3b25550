//! The principal type is [`PlanForm`]: a load plan for a driver on another host.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::error::LoadError;
use crate::mix::Mix;
use crate::run::LoadPlan;
use crate::schedule::{Schedule, Step, Stop};
use crate::share::{Share, Turns};

/// Maximum entries of a mix, and steps of a schedule.
const MOST: usize = 1_000_000;

/// A [`LoadPlan`] for another host: times count from its start, which is agreed on separately.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanForm {
    mix: Mix,
    schedule: Option<Schedule>,
    length: Duration,
    most_requests: Option<u64>,
    grace: Duration,
    concurrency: usize,
    share: Share,
    seed: u64,
}

impl PlanForm {
    /// Form of a plan for one share; the plan's concurrency is that of all shares. `length` is how long after its start
    /// the plan stops sending. Fails when fewer requests may be under way at once than there are hosts.
    pub fn of(plan: &LoadPlan, length: Duration, share: Share) -> Result<Self, LoadError> {
        let concurrency = share.of_workers(plan.concurrency);
        if concurrency == 0 {
            return Err(LoadError::Config {
                what: "concurrency",
                value: plan.concurrency.to_string(),
                expected: "at least one request under way for each host",
            });
        }
        Ok(Self {
            mix: plan.mix.clone(),
            schedule: plan.schedule.clone(),
            length,
            most_requests: plan.stop.max_requests,
            grace: plan.grace,
            concurrency,
            share,
            seed: plan.seed,
        })
    }

    /// The plan, starting at `start`. Fails when no client could have made it.
    pub fn plan(self, start: Instant) -> Result<LoadPlan, LoadError> {
        let wrong = |what, expected| LoadError::Config { what, value: "damaged".into(), expected };
        if self.mix.len() > MOST || self.steps().len() > MOST {
            return Err(wrong("plan", "at most a million requests and steps"));
        }
        if !self.mix.is_consistent() {
            return Err(wrong("mix", "requests with rising sums of weights"));
        }
        let schedule = self.schedule.map(Schedule::checked).transpose()?;
        let mut stop = Stop::after(self.length);
        if let Some(until) = start.checked_add(self.length) {
            stop.until = until;
        }
        stop.max_requests = self.most_requests;
        Ok(LoadPlan {
            schedule,
            start: Some(start),
            stop,
            grace: self.grace,
            concurrency: self.concurrency,
            share: self.share.checked()?,
            seed: self.seed,
            ..LoadPlan::new(self.mix)
        })
    }

    /// More requests than this share ever has: for Poisson arrivals, beyond six standard deviations. `None` in a closed
    /// loop without a number of requests.
    pub fn at_most(&self) -> Option<u64> {
        let of_number = self.most_requests.map(|most| self.share.of_requests(most));
        if self.schedule.is_none() {
            return of_number;
        }
        let mut left = self.length.as_secs_f64();
        let mut requests = 0.0;
        for Step { from, to, time } in self.steps() {
            let whole = time.as_secs_f64();
            let time = whole.min(left);
            if time > 0.0 {
                // The rate changes linearly; the plan may end within a step.
                let last = from + (to - from) * (time / whole);
                requests += (from + last) / 2.0 * time;
                left -= time;
            }
        }
        let of_steps = (requests + 6.0 * requests.sqrt() + 100.0) / f64::from(self.share.parts());
        // A cast to an integer saturates, and NaN becomes 0.
        Some(of_number.unwrap_or(u64::MAX).min(of_steps.ceil() as u64))
    }

    /// Requests of this share planned by `until`, since the start; `None` without a plan, as in a closed loop without a
    /// number of requests.
    pub fn planned(&self, until: Duration) -> Option<u64> {
        let Some(schedule) = self.schedule.clone() else {
            return self.most_requests.map(|most| self.share.of_requests(most));
        };
        let schedule = schedule.checked().ok()?;
        let turns = Turns::of(&schedule, self.share, self.most_requests);
        let end = until.min(self.length);
        Some(turns.take_while(|(_, time)| *time < end).count() as u64)
    }

    fn steps(&self) -> &[Step] {
        self.schedule.as_ref().map_or(&[], Schedule::steps)
    }
}
