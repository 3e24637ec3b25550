//! The principal type is [`Planned`]: how long the proof of a fix takes, from what the weighing knew of its page.

use std::time::Duration;

use unladen_document::{Finding, Interval, WeighedUrl};
use unladen_quantity::{lasting, percent};

/// Time in which requests of one arm are sent: at least, so that the CPU is told too, and at most.
const OF_AN_ARM: (Duration, Duration) = (Duration::from_secs(15), Duration::from_secs(30));
/// Requests of one arm, at least: a dozen phases have two each.
const LEAST: f64 = 24.0;
const MOST: f64 = 10_000.0;
/// The bound of a saving is 1.4 times the saving in the median (docs/reference/accuracy.md), and may be more.
const OF_THE_BOUND: f64 = 0.5;
/// A difference of two estimates has the variance of both, and has to exceed its noise floor too.
const WIDER: f64 = 1.8;

/// A page's median latency, as it was weighed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Planned {
    median: Duration,
    /// Half the interval's width, as a share of the median, with one request.
    of_one: f64,
    /// What the fix saves at most, as a share of the latency.
    bound: Option<f64>,
}

impl Planned {
    /// `None` if too little is known of the page.
    pub(crate) fn of(page: &WeighedUrl, finding: &Finding) -> Option<Self> {
        let median = *page.latency_ns.get("p50").filter(|median| **median > 0)?;
        let Interval { low, high } = *page.latency_intervals_ns.get("p50")?;
        let share = high.saturating_sub(low) as f64 / 2.0 / median as f64;
        let bound = finding.saves.at_most.filter(|_| finding.saves.of.as_deref() == Some("latency"));
        Some(Self {
            median: Duration::from_nanos(median),
            of_one: share * (page.requests as f64).sqrt(),
            bound: bound.filter(|bound| *bound > 0.0),
        })
    }

    pub(crate) fn median(&self) -> Duration {
        self.median
    }

    /// Requests of each arm in which the expected saving can be told, if they fit.
    pub(crate) fn requests(&self) -> u64 {
        let fit = |time: Duration| time.as_secs_f64() / self.median.as_secs_f64();
        let (least, most) = (fit(OF_AN_ARM.0), fit(OF_AN_ARM.1));
        let wanted = self.bound.map_or(0.0, |bound| (WIDER * self.of_one / (OF_THE_BOUND * bound)).powi(2));
        wanted.clamp(least, most).clamp(LEAST, MOST).round() as u64
    }

    /// `the proof takes about 2 min; in that time a change of the median of about 4 % can be told, …`
    pub(crate) fn told(&self, requests: u64, time: Duration) -> String {
        let detects = WIDER * self.of_one / (requests.max(1) as f64).sqrt();
        let said = format!(
            "the proof takes about {}; in that time a change of the median of about {} % can be told, if the machine is as \
             quiet as when the page was weighed",
            lasting(time),
            percent(detects)
        );
        match self.bound.filter(|bound| *bound < detects) {
            None => said,
            Some(bound) => format!(
                "{said}. This fix saves at most {} %, which takes about {} (--prove TIME): what is counted, and the CPU, \
                 may tell it earlier",
                percent(bound),
                lasting(time.mul_f64((detects / bound).powi(2).min(1e4)))
            ),
        }
    }
}

#[cfg(test)]
mod tests;
