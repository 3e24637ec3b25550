//! The principal type is [`Spoiled`]: which blocks a hypervisor or a CPU quota spoiled, and whether they are left out.
//!
//! Leaving out blocks must not choose among their figures. So the decision sees the machine's account alone, before any
//! figure of the requests, by these rules:
//!
//! - **Whole blocks** go, never phases. Steal is counted only where there is work, so phases with requests have more of
//!   it than those without; leaving out phases would leave out the former.
//! - **The measure is a rate**: the part of the time for which there was work that was taken away. Neighbours who take a
//!   third of the time do so whether a block's requests were dear or cheap, many or few.
//! - **Steal that load brings about selects**, whatever is done: where a hypervisor holds back a machine that works too
//!   much, the spoiled blocks are those with the dearer requests, or with a burst of other work that fell into a phase
//!   with requests. Such steal gives itself away: spoiled blocks have *more* work done in them than the others, while
//!   steal by neighbours leaves less, or as much. If a rank test sees more, no block is left out.
//! - **At most half** of the blocks go, and as many as an interval takes stay.

use crate::rank_sum::p_value_of_larger;

/// A block is spoiled from this part of the time for which there was work on: there the CPU times of a kernel that counts
/// stolen time as run are 5 % too long, which is more than a weighing's interval.
const TAKEN: f64 = 0.05;
/// … unless that is less than this part of all the processors' time: ticks of 10 ms are too coarse for less.
const LEAST_TAKEN: f64 = 0.01;
/// Likewise from this part of the elapsed time on for which the own control group was held back.
const THROTTLED: f64 = 0.05;
/// More than this part of all blocks is not left out: what remains would be the exception.
const MOST_LEFT_OUT: f64 = 0.5;
/// The rank test's level. A miss biases, while a false alarm keeps blocks that could have gone; and a single spoiled
/// block of ten or more has to be able to reach it.
const LEVEL: f64 = 0.1;

/// What the machine did during one block, all its phases together; times in ns.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Conditions {
    /// From the beginning of each phase to its end.
    pub elapsed_ns: f64,
    /// The same of all processors together.
    pub available_ns: f64,
    /// Time in which processors worked.
    pub busy_ns: f64,
    /// Time that the hypervisor took from processors that had work.
    pub stolen_ns: f64,
    /// Time for which this process's control group was held back by its CPU quota.
    pub throttled_ns: f64,
}

/// What becomes of spoiled blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpoiledVerdict {
    /// There are none.
    NoneSpoiled,
    LeftOut,
    /// They stay: without them, too few would be left.
    TooMany,
    /// They stay: the load itself brought the steal about.
    ByLoad,
}

/// Which blocks are spoiled, and what becomes of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spoiled {
    pub blocks: Vec<bool>,
    /// What becomes of those that are.
    pub verdict: SpoiledVerdict,
}

impl Conditions {
    /// Whether a block under these conditions is spoiled.
    pub fn is_spoiled(&self) -> bool {
        let is_stolen = self.stolen_ns >= TAKEN * (self.busy_ns + self.stolen_ns)
            && self.stolen_ns >= LEAST_TAKEN * self.available_ns
            && self.stolen_ns > 0.0;
        let is_throttled = self.throttled_ns > 0.0 && self.throttled_ns >= THROTTLED * self.elapsed_ns;
        is_stolen || is_throttled
    }

    /// The part of the processors' time in which they worked.
    fn busy_share(&self) -> f64 {
        if self.available_ns > 0.0 { self.busy_ns / self.available_ns } else { 0.0 }
    }
}

impl Spoiled {
    /// Decides by the conditions of all blocks; `carries` says whether blocks (those marked `true`) are enough for the
    /// result.
    ///
    /// ```
    /// use unladen_lockin::{Conditions, Spoiled, SpoiledVerdict};
    ///
    /// let quiet = Conditions { elapsed_ns: 2e9, available_ns: 4e9, busy_ns: 1e9, ..Conditions::default() };
    /// let robbed = Conditions { busy_ns: 0.7e9, stolen_ns: 0.3e9, ..quiet };
    /// let blocks = [quiet, quiet, robbed, quiet, quiet, quiet, quiet];
    /// let spoiled = Spoiled::of(&blocks, |kept| kept.iter().filter(|is_kept| **is_kept).count() >= 6);
    /// assert_eq!(spoiled.verdict, SpoiledVerdict::LeftOut);
    /// assert!(spoiled.is_left_out(2) && !spoiled.is_left_out(1));
    /// ```
    pub fn of(conditions: &[Conditions], carries: impl Fn(&[bool]) -> bool) -> Self {
        let blocks: Vec<bool> = conditions.iter().map(Conditions::is_spoiled).collect();
        let verdict = match blocks.iter().filter(|is_spoiled| **is_spoiled).count() {
            0 => SpoiledVerdict::NoneSpoiled,
            spoiled if spoiled as f64 > MOST_LEFT_OUT * blocks.len() as f64 => SpoiledVerdict::TooMany,
            _ if !carries(&blocks.iter().map(|is_spoiled| !is_spoiled).collect::<Vec<_>>()) => SpoiledVerdict::TooMany,
            _ if is_by_load(conditions, &blocks) => SpoiledVerdict::ByLoad,
            _ => SpoiledVerdict::LeftOut,
        };
        Self { blocks, verdict }
    }

    /// How many blocks are spoiled.
    pub fn count(&self) -> usize {
        self.blocks.iter().filter(|is_spoiled| **is_spoiled).count()
    }

    /// Whether a block is left out.
    pub fn is_left_out(&self, block: usize) -> bool {
        self.verdict == SpoiledVerdict::LeftOut && self.blocks.get(block).is_some_and(|is_spoiled| *is_spoiled)
    }
}

/// Whether more work was done in the spoiled blocks than in the others.
fn is_by_load(conditions: &[Conditions], spoiled: &[bool]) -> bool {
    let of = |wanted: bool| -> Vec<f64> {
        let blocks = conditions.iter().zip(spoiled).filter(|(_, is_spoiled)| **is_spoiled == wanted);
        blocks.map(|(block, _)| block.busy_share()).collect()
    };
    p_value_of_larger(&of(true), &of(false)) <= LEVEL
}

#[cfg(test)]
mod tests;
