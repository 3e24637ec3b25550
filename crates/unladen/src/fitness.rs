//! [`unfit`]: why a generator measured itself rather than the server.

use std::time::Duration;

use unladen_machine::MachineTimes;
use unladen_report::{LateBecause, Unfit};

use crate::machine::taken;

/// A lag up to this share of the server's median latency does not show …
const LATE_SHARE: f64 = 0.05;
/// … and a lag below this is never blamed.
const LATE: Duration = Duration::from_millis(1);
/// From this share of CPU on, the generator's thread limits the rate.
const BUSY: f64 = 0.9;
/// A shorter load does not show what its thread could send: starting it is part of its time.
const LONG_ENOUGH: Duration = Duration::from_millis(100);
/// From this share of wanted CPU time on, stolen time makes an idle thread look busy.
const MUCH: f64 = 0.05;

#[derive(Debug, Default)]
pub(crate) struct Generated<'a> {
    /// Median of the server's latencies, ns.
    pub(crate) median: Option<u64>,
    /// 99th percentile of the send lag, ns, and its cause; `None` in a closed loop.
    pub(crate) lag: Option<(u64, Option<LateBecause>)>,
    /// CPU time of the sending thread, and how long it sent.
    pub(crate) worked: Duration,
    pub(crate) sending: Duration,
    pub(crate) times: Option<&'a MachineTimes>,
}

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
