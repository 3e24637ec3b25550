//! One stretch of load: its [`plan`], its empty [`account`], and the [`head`] of its records.

use std::time::Duration;

use unladen_load::{End, LoadEnd, LoadPlan, RecordHead, Stop};

use crate::load::account::Account;
use crate::load::options::{Options, Pace};

/// How long a schedule stays open beyond its last request, which is planned just before its end.
const SLACK: Duration = Duration::from_secs(1);

/// `length` is the planned one.
pub(crate) fn plan(options: &Options, pace: &Pace, length: Duration) -> LoadPlan {
    let (schedule, time) = match pace {
        Pace::Closed => (None, length),
        Pace::Open(schedule) => (Some(schedule.clone()), length.saturating_add(SLACK)),
    };
    let stop = Stop { max_requests: options.requests, ..Stop::after(time) };
    LoadPlan {
        schedule,
        stop,
        // While requests under way may still end, those that wait for room may still begin.
        grace: options.driver.timeout,
        concurrency: options.concurrency,
        seed: options.seed,
        ..LoadPlan::new(options.mix.clone())
    }
}

pub(crate) fn account(options: &Options, pace: &Pace) -> Account {
    let steps = match pace {
        Pace::Closed => &[],
        Pace::Open(schedule) => schedule.steps(),
    };
    Account::new(&options.buckets, &options.mix, options.driver.requests.len(), steps)
}

pub(crate) fn head(options: &Options, pace: &Pace, http: &str) -> RecordHead {
    let (steps, arrivals) = match pace {
        Pace::Closed => (Vec::new(), ""),
        Pace::Open(schedule) => {
            let nanos = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
            let steps = schedule.steps().iter().map(|step| (step.from, step.to, nanos(step.time))).collect();
            (steps, schedule.arrivals().as_str())
        }
    };
    RecordHead {
        target: options.target.clone(),
        requests: options.driver.requests.iter().map(|request| request.name().to_owned()).collect(),
        steps,
        arrivals: arrivals.to_owned(),
        concurrency: options.concurrency,
        keep_alive: options.driver.keep_alive,
        keep_cookies: options.driver.keep_cookies,
        http: http.to_owned(),
        seed: options.seed,
    }
}

pub(crate) fn is_interrupted(end: &LoadEnd) -> bool {
    end.ended == End::Cancelled
}
