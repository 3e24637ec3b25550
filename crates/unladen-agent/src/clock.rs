//! The principal type is [`ClockOffset`]: difference between another host's monotonic clock and the local one.

/// The clock there minus the local clock.
///
/// By the method of Cristian (1989, "Probabilistic clock synchronization"): the moment of the answer lies between
/// question and receipt, so the middle is off by half of the round trip at most. The shortest round trip says most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockOffset {
    /// ns to add to a local time.
    pub offset_ns: i64,
    /// Possible error in ns, either way: half of the round trip.
    pub uncertainty_ns: u64,
}

/// Round trips of pings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoundTrips {
    pub count: usize,
    /// In ns.
    pub min_ns: u64,
    /// Of the last 256.
    pub median_ns: u64,
    pub max_ns: u64,
}

/// Clocks drift by some 50 parts in a million; two may drift apart.
const DRIFT_PER_MILLION: u64 = 100;

pub(crate) const KEPT: usize = 256;

#[derive(Debug, Default)]
pub(crate) struct Pings {
    next_id: u64,
    pending: std::collections::VecDeque<(u64, u64)>,
    answered: std::collections::VecDeque<Answered>,
    count: usize,
    min_ns: Option<u64>,
    max_ns: u64,
}

#[derive(Debug, Clone, Copy)]
struct Answered {
    sent_ns: u64,
    received_ns: u64,
    there_ns: u64,
}

impl Pings {
    pub(crate) fn send(&mut self, now_ns: u64) -> u64 {
        self.next_id += 1;
        if self.pending.len() == KEPT {
            self.pending.pop_front();
        }
        self.pending.push_back((self.next_id, now_ns));
        self.next_id
    }

    /// Takes an answer; `false` if there was no such question, or the answer would be earlier than it.
    pub(crate) fn answer(&mut self, id: u64, there_ns: u64, now_ns: u64) -> bool {
        let Some(place) = self.pending.iter().position(|(pending, _)| *pending == id) else { return false };
        let Some((_, sent_ns)) = self.pending.remove(place) else { return false };
        let Some(took) = now_ns.checked_sub(sent_ns) else { return false };
        if self.answered.len() == KEPT {
            self.answered.pop_front();
        }
        self.answered.push_back(Answered { sent_ns, received_ns: now_ns, there_ns });
        self.count += 1;
        self.min_ns = Some(self.min_ns.map_or(took, |least| least.min(took)));
        self.max_ns = self.max_ns.max(took);
        true
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The offset from the ping with the smallest error now: clocks may have drifted since an old one.
    pub(crate) fn offset(&self, now_ns: u64) -> Option<ClockOffset> {
        let of = |answered: &Answered| {
            let half = answered.received_ns.saturating_sub(answered.sent_ns).div_ceil(2);
            let age = now_ns.saturating_sub(answered.received_ns);
            let middle = i128::from(answered.sent_ns) + i128::from(half);
            let offset = i128::from(answered.there_ns) - middle;
            Some(ClockOffset {
                offset_ns: i64::try_from(offset).ok()?,
                uncertainty_ns: half + age / (1_000_000 / DRIFT_PER_MILLION),
            })
        };
        self.answered.iter().filter_map(of).min_by_key(|offset| offset.uncertainty_ns)
    }

    pub(crate) fn round_trips(&self) -> Option<RoundTrips> {
        let min_ns = self.min_ns?;
        let mut kept: Vec<u64> = self.answered.iter().map(|one| one.received_ns.saturating_sub(one.sent_ns)).collect();
        kept.sort_unstable();
        let median_ns = *kept.get(kept.len() / 2)?;
        Some(RoundTrips { count: self.count, min_ns, median_ns, max_ns: self.max_ns })
    }
}

#[cfg(test)]
mod tests;
