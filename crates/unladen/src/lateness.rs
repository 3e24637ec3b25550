//! When requests were sent late, [`Lateness`]; whether that was because CPU time was taken away, and not because of the
//! rate, [`because`]; and whether a generator measured itself rather than the server, [`unfit`].

use std::time::Duration;

use unladen_machine::MachineTimes;
use unladen_report::{LateBecause, Taken, Unfit};

use crate::machine::taken;

/// A smaller lag is punctual, ns.
const PUNCTUAL: u64 = 1_000_000;
/// A stretch in which this share of wanted CPU time was stolen, or for which this process was throttled, counts as
/// robbed: a tick of 10 ms in half a second of one processor.
const ROBBED: f64 = 0.02;
/// Robbed stretches are the cause if they have this share of all lateness …
const MOST: f64 = 0.5;
/// … and this many times the other stretches' lateness per request: constant steal does not explain lateness that is
/// the same in all stretches.
const DENSER: f64 = 2.0;

/// A stretch of time, and the requests planned in it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Stretch {
    pub(crate) times: MachineTimes,
    pub(crate) requests: u64,
    /// Sum of its requests' lags [`beyond`] punctual, ns.
    pub(crate) late_ns: u64,
}

pub(crate) fn beyond(lag_ns: u64) -> u64 {
    lag_ns.saturating_sub(PUNCTUAL)
}

/// What was taken, if that is why requests were late; stretches in chronological order.
pub(crate) fn because(stretches: &[Stretch]) -> Option<LateBecause> {
    let is_robbed = |times: &MachineTimes| times.stolen_of_wanted() >= ROBBED || times.throttled_share() >= ROBBED;
    let (mut robbed, mut others) = (Stretch::default(), Stretch::default());
    for (index, stretch) in stretches.iter().enumerate() {
        // The kernel books stolen time when it runs again, which may be in the next stretch.
        let next = stretches.get(index + 1);
        let is_robbed = is_robbed(&stretch.times) || next.is_some_and(|next| is_robbed(&next.times));
        let sum = if is_robbed { &mut robbed } else { &mut others };
        sum.times = sum.times.plus(stretch.times);
        sum.requests += stretch.requests;
        sum.late_ns = sum.late_ns.saturating_add(stretch.late_ns);
    }
    let share = robbed.late_ns as f64 / robbed.late_ns.saturating_add(others.late_ns).max(1) as f64;
    let density = |sum: &Stretch| sum.late_ns as f64 / sum.requests.max(1) as f64;
    let is_denser = density(&robbed) >= DENSER * density(&others);
    (robbed.late_ns > 0 && share >= MOST && is_denser).then(|| LateBecause {
        taken: Taken { stolen_share: robbed.times.stolen_share(), throttled: robbed.times.throttled },
        lasted: robbed.times.elapsed,
        share,
    })
}

/// Initial width of a slice, ns.
const FIRST_WIDTH: u64 = 20_000_000;
/// Most slices; beyond, neighbours are merged.
const MOST_SLICES: usize = 8_192;

#[derive(Debug)]
pub(crate) struct Lateness {
    width: u64,
    /// Number of requests, and their total lateness, ns.
    slices: Vec<(u64, u64)>,
}

impl Lateness {
    pub(crate) fn record(&mut self, planned_ns: u64, lag_ns: u64) {
        let mut index = planned_ns / self.width;
        while index >= MOST_SLICES as u64 {
            self.width *= 2;
            let sum =
                |pair: &[(u64, u64)]| pair.iter().fold((0, 0), |a: (u64, u64), b| (a.0 + b.0, a.1.saturating_add(b.1)));
            self.slices = self.slices.chunks(2).map(sum).collect();
            index = planned_ns / self.width;
        }
        let index = index as usize;
        if self.slices.len() <= index {
            self.slices.resize(index + 1, (0, 0));
        }
        let slice = &mut self.slices[index];
        *slice = (slice.0 + 1, slice.1.saturating_add(beyond(lag_ns)));
    }

    /// Number and total lateness (ns) of the requests planned in a period since the start; a slice belongs to the
    /// period that holds its middle.
    pub(crate) fn between(&self, from: Duration, to: Duration) -> (u64, u64) {
        let half = u128::from(self.width / 2);
        let first_after = |time: Duration| {
            let middle_of_first = time.as_nanos().saturating_sub(half);
            usize::try_from(middle_of_first.div_ceil(u128::from(self.width)))
                .unwrap_or(usize::MAX)
                .min(self.slices.len())
        };
        let slices = self.slices.get(first_after(from)..first_after(to)).unwrap_or_default();
        slices.iter().fold((0, 0), |sum, slice| (sum.0 + slice.0, sum.1.saturating_add(slice.1)))
    }
}

impl Default for Lateness {
    fn default() -> Self {
        Self { width: FIRST_WIDTH, slices: Vec::new() }
    }
}

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
