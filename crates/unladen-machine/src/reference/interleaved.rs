//! The principal type is [`Interleaved`]: reference work between the blocks of a run.

use std::time::{Duration, Instant};

use unladen_lockin::TooFew;

use crate::reference::allowance::Allowance;
use crate::reference::error::ReferenceError;
use crate::reference::figures::Reference;
use crate::reference::units::Units;
use crate::reference::work::ReferenceWork;

/// Pauses before pieces are random, and at most this long: no fixed distance from the end of a block.
const LONGEST_PAUSE: Duration = Duration::from_micros(200);
/// Assumed cost of a piece with its pause, until it is known.
const EXPECTED: Duration = Duration::from_micros(1_200);
/// Pieces in one gap are much alike, so more add no information.
const MOST_IN_A_GAP: usize = 30;

/// Runs pieces between blocks, never within one, as many as less than 2 % of the run's time allow.
///
/// ```
/// use std::time::Duration;
/// use unladen_machine::Interleaved;
///
/// let mut reference = Interleaved::start(1)?;
/// for _ in 0..3 {
///     std::thread::sleep(Duration::from_millis(1)); // a block
///     reference.between_blocks(|pause| {
///         std::thread::sleep(pause);
///         false
///     })?;
/// }
/// assert!(reference.figures().is_err(), "three blocks are too few for an interval");
/// # Ok::<(), unladen_machine::ReferenceError>(())
/// ```
#[derive(Debug)]
pub struct Interleaved {
    work: ReferenceWork,
    allowance: Allowance,
    units: Units,
    pieces: u32,
    cost: Duration,
    since: Instant,
}

impl Interleaved {
    /// Prepares everything; to be called before the first block. The run's seed decides the order and the moments of
    /// the pieces, independently of those of the phases. Fails if the kernel gives no pipe or no clock.
    pub fn start(seed: u64) -> Result<Self, ReferenceError> {
        Ok(Self {
            work: ReferenceWork::new(seed)?,
            allowance: Allowance::default(),
            units: Units::default(),
            pieces: 0,
            cost: Duration::ZERO,
            since: Instant::now(),
        })
    }

    /// Runs pieces after a block and before the next. `wait` pauses for a time, and returns whether the run is to end;
    /// the pieces end then, too. Fails if the kernel does not do what the work needs.
    pub fn between_blocks(&mut self, mut wait: impl FnMut(Duration) -> bool) -> Result<(), ReferenceError> {
        self.allowance.earn(self.since.elapsed());
        for _ in 0..MOST_IN_A_GAP {
            let begun = Instant::now();
            if !self.allowance.covers(self.expected()) || wait(LONGEST_PAUSE.mul_f64(self.work.random())) {
                break;
            }
            let sample = self.work.run_one()?;
            self.units.add(sample);
            let cost = begun.elapsed();
            self.allowance.spend(cost);
            self.cost += cost;
            self.pieces += 1;
        }
        self.units.end_gap();
        self.since = Instant::now();
        Ok(())
    }

    /// Durations of the pieces so far. Fails with too few blocks for an interval.
    pub fn figures(&self) -> Result<Reference, TooFew> {
        Reference::of(self.units.whole(), self.allowance.share())
    }

    fn expected(&self) -> Duration {
        if self.pieces == 0 { EXPECTED } else { self.cost / self.pieces }
    }
}

#[cfg(test)]
mod tests;
