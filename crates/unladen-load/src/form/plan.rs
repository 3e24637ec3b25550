//! The principal type is [`PlanForm`]: a load plan for a driver on another host.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::error::LoadError;
use crate::load::LoadPlan;
use crate::mix::Mix;
use crate::schedule::{Arrivals, Schedule, Step};
use crate::share::Share;
use crate::stop::Stop;

/// Maximum entries of a mix, and steps of a schedule.
const MOST: usize = 1_000_000;

/// A [`LoadPlan`] for another host: times count from its start, which is agreed on separately.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanForm {
    mix: Vec<(u64, f64)>,
    steps: Vec<(f64, f64, Duration)>,
    arrivals: Arrivals,
    arrivals_seed: u64,
    length: Duration,
    most_requests: Option<u64>,
    grace: Duration,
    concurrency: u64,
    share: Share,
    seed: u64,
}

impl PlanForm {
    /// Form of a plan for one share; the plan's concurrency is that of all shares. `length` is how long after its start
    /// the plan stops sending.
    ///
    /// # Errors
    /// When fewer requests may be under way at once than there are hosts.
    pub fn of(plan: &LoadPlan, length: Duration, share: Share) -> Result<Self, LoadError> {
        let concurrency = share.of_workers(plan.concurrency);
        if concurrency == 0 {
            return Err(LoadError::Config {
                what: "concurrency",
                value: plan.concurrency.to_string(),
                expected: "at least one request under way for each host",
            });
        }
        let steps = plan.schedule.as_ref().map_or(&[][..], Schedule::steps);
        Ok(Self {
            mix: plan.mix.entries().map(|(index, sum)| (index as u64, sum)).collect(),
            steps: steps.iter().map(|step| (step.from, step.to, step.time)).collect(),
            arrivals: plan.schedule.as_ref().map_or(Arrivals::Constant, Schedule::arrivals),
            arrivals_seed: plan.schedule.as_ref().map_or(0, Schedule::seed),
            length,
            most_requests: plan.stop.max_requests,
            grace: plan.grace,
            concurrency: concurrency as u64,
            share,
            seed: plan.seed,
        })
    }

    /// The plan, starting at `start`.
    ///
    /// # Errors
    /// When no client could have made it.
    pub fn plan(self, start: Instant) -> Result<LoadPlan, LoadError> {
        let wrong = |what, expected| LoadError::Config { what, value: "damaged".into(), expected };
        if self.mix.len() > MOST || self.steps.len() > MOST {
            return Err(wrong("plan", "at most a million requests and steps"));
        }
        let entries = self.mix.into_iter().map(|(index, sum)| Some((usize::try_from(index).ok()?, sum)));
        let mix = entries.collect::<Option<Vec<_>>>().and_then(Mix::of_entries);
        let mix = mix.ok_or_else(|| wrong("mix", "requests with rising sums of weights"))?;
        let steps: Vec<Step> = self.steps.into_iter().map(|(from, to, time)| Step { from, to, time }).collect();
        let schedule =
            if steps.is_empty() { None } else { Some(Schedule::new(steps, self.arrivals, self.arrivals_seed)?) };
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
            concurrency: usize::try_from(self.concurrency).unwrap_or(usize::MAX),
            share: self.share.checked()?,
            seed: self.seed,
            ..LoadPlan::new(mix)
        })
    }

    /// More requests than this share ever has: for Poisson arrivals, beyond six standard deviations. `None` in a closed
    /// loop without a number of requests.
    pub fn at_most(&self) -> Option<u64> {
        let of_number = self.most_requests.map(|most| self.share.of_requests(most));
        if self.steps.is_empty() {
            return of_number;
        }
        let mut left = self.length.as_secs_f64();
        let mut requests = 0.0;
        for (from, to, time) in &self.steps {
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
        if self.steps.is_empty() {
            return self.most_requests.map(|most| self.share.of_requests(most));
        }
        let steps = self.steps.iter().map(|&(from, to, time)| Step { from, to, time }).collect();
        let schedule = Schedule::new(steps, self.arrivals, self.arrivals_seed).ok()?;
        let turns = crate::turns::Turns::of(&schedule, self.share, self.most_requests);
        let end = until.min(self.length);
        Some(turns.take_while(|(_, time)| *time < end).count() as u64)
    }
}
