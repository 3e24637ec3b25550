//! [`unfit`]: whether what a generator measured is the server's, and not its own.

use std::time::Duration;

use unladen_machine::MachineTimes;
use unladen_report::{LateBecause, Unfit};

use crate::machine::taken;

/// A generator may be so late that it does not show beside the server's latencies: 5 % of their median …
const LATE_SHARE: f64 = 0.05;
/// … and never later than this without a word, nor blamed for less.
const LATE: Duration = Duration::from_millis(1);
/// From this share of its time on, the generator's thread is what limits the rate.
const BUSY: f64 = 0.9;
/// A shorter load says nothing of what its thread could have sent: starting it is part of its time.
const LONG_ENOUGH: Duration = Duration::from_millis(100);
/// From this part of the time for which there was work on, taken time makes a thread busy that is not.
const MUCH: f64 = 0.05;

/// What a generator did.
#[derive(Debug, Default)]
pub(crate) struct Generated<'a> {
    /// The median of the server's latencies, ns.
    pub(crate) median: Option<u64>,
    /// 99 % of the requests were sent at most so late, ns, and why; none in a closed loop.
    pub(crate) lag: Option<(u64, Option<LateBecause>)>,
    /// CPU of the thread that sends, and for how long it did.
    pub(crate) worked: Duration,
    pub(crate) sending: Duration,
    /// What the machine did meanwhile.
    pub(crate) times: Option<&'a MachineTimes>,
}

/// Why what it measured is not the server's; empty where it is.
pub(crate) fn unfit(generated: Generated<'_>) -> Vec<Unfit> {
    let Generated { median, lag, worked, sending, times } = generated;
    let mut unfit = Vec::new();
    let limit = (LATE.as_nanos() as u64).max((median.unwrap_or(0) as f64 * LATE_SHARE) as u64);
    if let Some((p99, because)) = lag.filter(|(p99, _)| *p99 > limit) {
        unfit.push(Unfit::Late { p99, limit, because });
    }
    let share = worked.as_secs_f64() / sending.as_secs_f64().max(1e-9);
    if sending >= LONG_ENOUGH && share > BUSY {
        let is_much = |times: &&MachineTimes| times.stolen_of_wanted() >= MUCH || times.throttled_share() >= MUCH;
        unfit.push(Unfit::Busy { share: share.min(1.0), taken: times.filter(is_much).map(taken) });
    }
    unfit
}

#[cfg(test)]
mod tests;
