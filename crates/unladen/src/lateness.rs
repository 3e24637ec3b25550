//! [`because`]: whether requests were sent late because CPU time was taken away, and not because of the rate.

use unladen_machine::MachineTimes;
use unladen_report::{LateBecause, Taken};

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

/// The part of a lag that counts as late.
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

#[cfg(test)]
mod tests;
