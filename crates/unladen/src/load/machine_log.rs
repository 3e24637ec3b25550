//! The principal type is [`MachineLog`]: what the machine did during a load, by stretches, in bounded memory.

use std::time::{Duration, Instant};

use unladen_machine::{MachineClock, MachineReading, MachineTimes};
use unladen_report::LateBecause;

use crate::lateness::{Lateness, Stretch, because};

/// Initial length of a stretch: fine enough to tell bursts of steal apart, and long enough for ticks of 10 ms.
const EVERY: Duration = Duration::from_millis(250);
/// Most stretches; beyond, neighbours are merged.
const MOST: usize = 4_096;

pub(crate) struct MachineLog {
    clock: MachineClock,
    started: Instant,
    last: MachineReading,
    stretches: Stretches,
}

/// What a machine did, this one or another.
#[derive(Debug)]
pub(crate) struct Stretches {
    every: Duration,
    /// The end of each stretch since the start, and its times.
    stretches: Vec<(Duration, MachineTimes)>,
}

impl MachineLog {
    pub(crate) fn begin(started: Instant) -> Self {
        let mut clock = MachineClock::open();
        let last = clock.read();
        Self { clock, started, last, stretches: Stretches::default() }
    }

    pub(crate) fn look(&mut self) {
        if self.last.at().elapsed() >= self.stretches.every {
            self.end();
        }
    }

    /// Ends a stretch.
    pub(crate) fn end(&mut self) {
        let now = self.clock.read();
        self.stretches.push(now.at().saturating_duration_since(self.started), now.since(&self.last));
        self.last = now;
    }

    pub(crate) fn stretches(&self) -> &Stretches {
        &self.stretches
    }
}

impl Stretches {
    /// Adds a stretch that ended at `end` since the start. It extends the last one while that is too short: other hosts
    /// report at a constant rate, however long the load.
    pub(crate) fn push(&mut self, end: Duration, times: MachineTimes) {
        if let Some((last_end, last)) = self.stretches.last_mut().filter(|(_, last)| last.elapsed < self.every) {
            (*last_end, *last) = (end.max(*last_end), last.plus(times));
            return;
        }
        if self.stretches.len() >= MOST {
            self.every = self.every.saturating_mul(2);
            let pairs = self.stretches.chunks(2);
            self.stretches =
                pairs.filter_map(|pair| pair.iter().copied().reduce(|a, b| (b.0, a.1.plus(b.1)))).collect();
        }
        self.stretches.push((end, times));
    }

    pub(crate) fn times(&self) -> MachineTimes {
        self.stretches.iter().fold(MachineTimes::default(), |sum, (_, times)| sum.plus(*times))
    }

    pub(crate) fn because(&self, lateness: &Lateness) -> Option<LateBecause> {
        let mut from = Duration::ZERO;
        let stretches: Vec<Stretch> = self
            .stretches
            .iter()
            .map(|(end, times)| {
                let (requests, late_ns) = lateness.between(from, *end);
                from = *end;
                Stretch { times: *times, requests, late_ns }
            })
            .collect();
        because(&stretches)
    }
}

impl Default for Stretches {
    fn default() -> Self {
        Self { every: EVERY, stretches: Vec::new() }
    }
}

#[cfg(test)]
mod tests;
