//! The principal type is [`MachineLog`]: what the machine did during a load, stretch by stretch, in bounded memory.

use std::time::{Duration, Instant};

use unladen_machine::{MachineClock, MachineReading, MachineTimes};
use unladen_report::LateBecause;

use crate::lateness::{Stretch, because};
use crate::load::lateness::Lateness;

/// The first length of a stretch: fine enough to tell bursts of steal apart, and long enough for ticks of 10 ms.
const EVERY: Duration = Duration::from_millis(250);
/// Stretches at most; when there are more, neighbours are put together.
const MOST: usize = 4_096;

/// Reads the machine's times again and again.
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
    /// The end of each stretch since the start, and what the machine did in it.
    stretches: Vec<(Duration, MachineTimes)>,
}

// === impl MachineLog ===

impl MachineLog {
    /// Begins; requests are planned from `started` on.
    pub(crate) fn begin(started: Instant) -> Self {
        let mut clock = MachineClock::open();
        let last = clock.read();
        Self { clock, started, last, stretches: Stretches::default() }
    }

    /// Ends a stretch, if it is long enough.
    pub(crate) fn look(&mut self) {
        if self.last.at().elapsed() >= self.stretches.every {
            self.end_stretch();
        }
    }

    /// Ends the last stretch.
    pub(crate) fn end(&mut self) {
        self.end_stretch();
    }

    fn end_stretch(&mut self) {
        let now = self.clock.read();
        self.stretches.push(now.at().saturating_duration_since(self.started), now.since(&self.last));
        self.last = now;
    }

    /// What it has read.
    pub(crate) fn stretches(&self) -> &Stretches {
        &self.stretches
    }
}

// === impl Stretches ===

impl Stretches {
    /// Adds a stretch that ended then, since the start. It goes on with the last one while that is too short: other
    /// hosts tell of theirs as often as ever, however long the load.
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

    /// All of it.
    pub(crate) fn times(&self) -> MachineTimes {
        self.stretches.iter().fold(MachineTimes::default(), |sum, (_, times)| sum.plus(*times))
    }

    /// What was taken, if that is why requests were late.
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
mod tests {
    use super::*;

    #[test]
    fn an_hour_takes_as_much_memory_as_a_quarter() {
        let mut log = Stretches::default();
        let times = MachineTimes { elapsed: EVERY, stolen: Duration::from_millis(10), ..Default::default() };
        for index in 1..=14_400 {
            log.push(EVERY * index, times);
        }
        assert!(log.stretches.len() <= MOST && log.every > EVERY, "{}", log.stretches.len());
        assert_eq!((log.times().elapsed, log.times().stolen), (EVERY * 14_400, Duration::from_secs(144)));
        assert!(log.stretches.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }

    /// Each 2,048th of an agent's looks doubled the length until it overflowed: after some 30 hours.
    #[test]
    fn looks_of_a_long_load_from_hosts_do_not_overflow() {
        let mut log = Stretches::default();
        let times = MachineTimes { elapsed: EVERY, ..Default::default() };
        let looks = 500_000;
        for index in 1..=looks {
            log.push(EVERY * index, times);
        }
        assert!(log.stretches.len() <= MOST && log.every <= EVERY * 256, "{:?}", log.every);
        assert_eq!(log.times().elapsed, EVERY * looks);
        // Whatever lengths are told.
        for _ in 0..100 * MOST {
            log.push(Duration::ZERO, MachineTimes { elapsed: Duration::from_secs(86_400), ..Default::default() });
        }
        assert!(log.stretches.len() <= MOST);
    }
}
