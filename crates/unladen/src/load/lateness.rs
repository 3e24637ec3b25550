//! The principal type is [`Lateness`]: when requests were sent late, in bounded memory.

use std::time::Duration;

use crate::lateness::beyond;

/// Initial width of a slice, ns.
const FIRST_WIDTH: u64 = 20_000_000;
/// Most slices; beyond, neighbours are merged.
const MOST: usize = 8_192;

#[derive(Debug)]
pub(crate) struct Lateness {
    width: u64,
    /// Number of requests, and their total lateness, ns.
    slices: Vec<(u64, u64)>,
}

// === impl Lateness ===

impl Lateness {
    pub(crate) fn record(&mut self, planned_ns: u64, lag_ns: u64) {
        let mut index = planned_ns / self.width;
        while index >= MOST as u64 {
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

#[cfg(test)]
mod tests;
