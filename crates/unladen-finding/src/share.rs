//! Shares from times, and items from counts.

use unladen_trace::{Evidence, Interval, Series};

use crate::finding::{Item, Saves, Share, Whole};

const ITEMS: usize = 10;
/// Less often than this (a request) is not worth a line.
const LEAST_ITEM: f64 = 0.05;

impl Share {
    /// Share of the latency, from ns a request.
    pub(crate) fn of_latency(evidence: &Evidence, time: Option<Interval>) -> Self {
        let Some(time) = time else { return Self::NotKnown("how long it takes is not known".into()) };
        match evidence.share_of_latency(time) {
            Some(part) => Self::Known { of: Whole::Latency, time, part: within(part) },
            None => Self::NotKnown("the latency is not known".into()),
        }
    }

    /// Share of the CPU of all followed groups, from CPU ns a request.
    pub(crate) fn of_cpu(evidence: &Evidence, time: Option<Interval>) -> Self {
        let Some(time) = time else { return Self::NotKnown("how much CPU it takes is not known".into()) };
        match evidence.share_of_cpu(time) {
            Some(part) => Self::Known { of: Whole::Cpu, time, part: within(part) },
            None => Self::NotKnown("the CPU of a request is not known".into()),
        }
    }
}

impl Saves {
    pub(crate) fn all_of(takes: &Share) -> Self {
        Self::part_of(takes, 1.0)
    }

    /// Upper bound, by a factor below 1 if the fix leaves some calls, above if it removes more; at most the whole
    /// request.
    pub(crate) fn part_of(takes: &Share, factor: f64) -> Self {
        match takes {
            Share::Known { of, time, part } if part.high > 0.0 => {
                let most = time.high / part.high;
                let bound = (part.high * factor).clamp(0.0, 1.0);
                Self::AtMost { of: *of, time: (time.high * factor).clamp(0.0, most), part: bound }
            }
            Share::Known { .. } => Self::NotKnown("what it takes is too small to be told".into()),
            Share::NearlyAll(why) | Share::NotKnown(why) => Self::NotKnown(why.clone()),
        }
    }

    pub(crate) fn whole(evidence: &Evidence) -> Self {
        match evidence.page.latency {
            Some(latency) => Self::AtMost { of: Whole::Latency, time: latency.high, part: 1.0 },
            None => Self::NotKnown("the latency is not known".into()),
        }
    }

    /// Upper bound `ns` a request, of the same whole as `takes`.
    pub(crate) fn at_most(takes: &Share, ns: f64) -> Self {
        let high = match takes {
            Share::Known { time, .. } if time.high > 0.0 => time.high,
            _ => return Self::all_of(takes),
        };
        Self::part_of(takes, ns.max(0.0) / high)
    }

    /// The saving happens where nothing is counted.
    pub(crate) fn unproved(why: &str) -> Self {
        Self::NotKnown(format!("{why}: `unladen prove` measures it"))
    }
}

impl Item {
    pub(crate) fn largest(items: impl IntoIterator<Item = (String, f64)>) -> Vec<Self> {
        let mut items: Vec<Self> = items
            .into_iter()
            .filter(|(_, per_request)| *per_request >= LEAST_ITEM)
            .map(|(name, per_request)| Self { name, per_request })
            .collect();
        items.sort_by(|a, b| b.per_request.total_cmp(&a.per_request).then_with(|| a.name.cmp(&b.name)));
        items.truncate(ITEMS);
        items
    }
}

/// Time of calls from the kernel's part of it: `low` to `high` times as much, most likely `value` times.
pub(crate) fn widened(kernel: Interval, low: f64, value: f64, high: f64) -> Interval {
    Interval { value: kernel.value * value, low: kernel.low * low, high: kernel.high * high }
}

/// What requests add to a count, if at least `least`, lower end included.
pub(crate) fn at_least(evidence: &Evidence, series: &Series, least: f64) -> Option<Interval> {
    evidence.per_request(series).filter(|count| count.low >= least && count.low > 0.0)
}

fn within(part: Interval) -> Interval {
    Interval { value: part.value.clamp(0.0, 1.0), low: part.low.clamp(0.0, 1.0), high: part.high.clamp(0.0, 1.0) }
}

#[cfg(test)]
mod tests;
