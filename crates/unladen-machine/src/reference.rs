//! Reference work: short pieces of work that are the same in every run, on every machine, and in every version with the
//! same [`VERSION`]. Their duration shows how fast the machine was. The principal type is [`Interleaved`], which runs
//! them between the blocks of a run.

mod work;

pub use work::{ReferenceError, ReferenceKind, ReferenceSample, ReferenceWork};

use std::time::{Duration, Instant};

use unladen_lockin::{Estimate, TooFew, ratio};

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

/// Share of the blocks' time spent between them. The promised cost is below 2 %, with room for pieces that take longer.
const PART: f64 = 0.017;

/// How much time reference work may take.
#[derive(Debug, Default)]
pub(crate) struct Allowance {
    earned: Duration,
    spent: Duration,
}

impl Allowance {
    pub(crate) fn earn(&mut self, block: Duration) {
        self.earned += block;
    }

    /// A piece, with the pause before it, has taken this long.
    pub(crate) fn spend(&mut self, piece: Duration) {
        self.spent += piece;
    }

    pub(crate) fn covers(&self, piece: Duration) -> bool {
        self.spent + piece <= self.earned.mul_f64(PART)
    }

    pub(crate) fn share(&self) -> f64 {
        let all = (self.earned + self.spent).as_secs_f64();
        if all > 0.0 { self.spent.as_secs_f64() / all } else { 0.0 }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Sum {
    pub(crate) pieces: u32,
    pub(crate) cpu_ns: u64,
    pub(crate) wall_ns: u64,
}

/// Successive pieces suffer the same neighbours: so the unit is a gap, or several if short ones miss a kind.
pub(crate) type Unit = [Sum; ReferenceKind::ALL.len()];

/// The samples of a run, by gaps between blocks.
#[derive(Debug, Default)]
pub(crate) struct Units {
    whole: Vec<Unit>,
    open: Unit,
}

impl Units {
    pub(crate) fn add(&mut self, sample: ReferenceSample) {
        let sum = &mut self.open[sample.kind as usize];
        sum.pieces += 1;
        sum.cpu_ns += sample.cpu_ns;
        sum.wall_ns += sample.wall_ns;
    }

    /// Ends a gap, and the unit if each kind has had its turn.
    pub(crate) fn end_gap(&mut self) {
        if self.open.iter().all(|sum| sum.pieces > 0) {
            self.whole.push(std::mem::take(&mut self.open));
        }
    }

    pub(crate) fn whole(&self) -> &[Unit] {
        &self.whole
    }
}

/// How fast the machine was during a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference {
    /// See [`VERSION`](crate::REFERENCE_VERSION).
    pub version: u32,
    /// One of each kind, in the order of [`ReferenceKind::ALL`].
    pub figures: Vec<Figure>,
    /// Time of pieces and the pauses before them, as a part of the run's, 0 to 1.
    pub cost_share: f64,
}

/// How long a piece of one kind took.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    pub kind: ReferenceKind,
    /// Time on a processor, in ns a piece; `blocks` is the number of gaps between blocks.
    pub cpu: Estimate,
    /// Elapsed time, in ns a piece, including waits for a processor.
    pub wall: Estimate,
    pub pieces: u32,
}

impl Reference {
    pub(crate) fn of(units: &[Unit], cost_share: f64) -> Result<Self, TooFew> {
        let figure = |kind: ReferenceKind| {
            let sums: Vec<Sum> = units.iter().map(|unit| unit[kind as usize]).collect();
            let pieces: Vec<f64> = sums.iter().map(|sum| f64::from(sum.pieces)).collect();
            let per_piece =
                |of: fn(&Sum) -> u64| ratio(&sums.iter().map(|sum| of(sum) as f64).collect::<Vec<_>>(), &pieces);
            Ok(Figure {
                kind,
                cpu: per_piece(|sum| sum.cpu_ns)?,
                wall: per_piece(|sum| sum.wall_ns)?,
                pieces: sums.iter().map(|sum| sum.pieces).sum(),
            })
        };
        let figures = ReferenceKind::ALL.into_iter().map(figure).collect::<Result<_, TooFew>>()?;
        Ok(Self { version: VERSION, figures, cost_share })
    }
}

/// The version of the pieces. Figures of different versions cannot be compared.
pub const VERSION: u32 = 1;

#[cfg(test)]
mod tests;
