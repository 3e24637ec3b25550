//! The principal type is [`Spoiled`]: which blocks a hypervisor or a CPU quota spoiled, and whether they are left out.
//!
//! Leaving out blocks must not select by their figures. So the decision sees the machine's account alone, before any
//! figure of the requests, by these rules:
//!
//! - **Whole blocks** go, never phases. Steal is counted only while there is work, so phases with requests have more of
//!   it, and leaving out phases would leave out those.
//! - **The measure is a rate**: the stolen part of the time with work. Neighbours who take a third of the time do so
//!   whether a block's requests were expensive or cheap, many or few.
//! - **Steal caused by load selects**, whatever is done: if a hypervisor throttles a machine that works too much, the
//!   spoiled blocks are those with the more expensive requests, or with a burst of other work in a phase with requests.
//!   Such steal gives itself away: spoiled blocks have *more* work done in them than the others, while steal by
//!   neighbours leaves less, or as much. If a rank test sees more, no block is left out.
//! - **At most half** of the blocks go, and enough for an interval stay.

use crate::rank_sum::p_value_of_larger;

/// A block is spoiled from this stolen part of the time with work on: there the CPU times of a kernel that counts
/// stolen time as run are 5 % too long, which is more than a weighing's interval.
const TAKEN: f64 = 0.05;
/// … unless it is less than this part of all the processors' time: ticks of 10 ms are too coarse for less.
const LEAST_TAKEN: f64 = 0.01;
/// A block is also spoiled if its control group was throttled for this part of the elapsed time.
const THROTTLED: f64 = 0.05;
/// Most blocks that are left out, as a part: otherwise the rest would be the exception.
const MOST_LEFT_OUT: f64 = 0.5;
/// The rank test's level. A miss biases, while a false alarm keeps blocks that could have gone; and a single spoiled
/// block of ten or more has to be able to reach it.
const LEVEL: f64 = 0.1;

/// The machine during one block, all its phases together; times in ns.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Conditions {
    /// Sum over the phases.
    pub elapsed_ns: f64,
    /// Time of all processors together.
    pub available_ns: f64,
    pub busy_ns: f64,
    /// Time that the hypervisor took from processors with work.
    pub stolen_ns: f64,
    /// Time for which this process's control group was throttled by its CPU quota.
    pub throttled_ns: f64,
}

/// What is done about spoiled blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpoiledVerdict {
    NoneSpoiled,
    LeftOut,
    /// They stay: without them, too few would be left.
    TooMany,
    /// They stay: the load itself caused the steal.
    ByLoad,
}

/// Which blocks are spoiled, and whether they are left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spoiled {
    pub blocks: Vec<bool>,
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

    fn busy_share(&self) -> f64 {
        if self.available_ns > 0.0 { self.busy_ns / self.available_ns } else { 0.0 }
    }
}

impl Spoiled {
    /// Decides by the conditions of all blocks; `carries` says whether the blocks marked `true` are enough for the
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

    /// Number of spoiled blocks.
    pub fn count(&self) -> usize {
        self.blocks.iter().filter(|is_spoiled| **is_spoiled).count()
    }

    /// Whether a block is left out.
    pub fn is_left_out(&self, block: usize) -> bool {
        self.verdict == SpoiledVerdict::LeftOut && self.blocks.get(block).is_some_and(|is_spoiled| *is_spoiled)
    }
}

fn is_by_load(conditions: &[Conditions], spoiled: &[bool]) -> bool {
    let of = |wanted: bool| -> Vec<f64> {
        let blocks = conditions.iter().zip(spoiled).filter(|(_, is_spoiled)| **is_spoiled == wanted);
        blocks.map(|(block, _)| block.busy_share()).collect()
    };
    p_value_of_larger(&of(true), &of(false)) <= LEVEL
}

#[cfg(test)]
mod tests;
