//! The principal type is [`Allowance`]: how much time reference work may take.

use std::time::Duration;

/// The part of the time of the blocks that may be spent between them. What it costs is promised to stay below 2 %; the
/// rest of that is for pieces that take longer than was expected.
const PART: f64 = 0.017;

/// Time that blocks earn and pieces spend.
#[derive(Debug, Default)]
pub(crate) struct Allowance {
    earned: Duration,
    spent: Duration,
}

impl Allowance {
    /// A block has taken this long.
    pub(crate) fn earn(&mut self, block: Duration) {
        self.earned += block;
    }

    /// A piece, and the pause before it, have taken this long.
    pub(crate) fn spend(&mut self, piece: Duration) {
        self.spent += piece;
    }

    /// Whether there is enough left for another piece.
    pub(crate) fn covers(&self, piece: Duration) -> bool {
        self.spent + piece <= self.earned.mul_f64(PART)
    }

    /// What was spent, as a part of all time.
    pub(crate) fn share(&self) -> f64 {
        let all = (self.earned + self.spent).as_secs_f64();
        if all > 0.0 { self.spent.as_secs_f64() / all } else { 0.0 }
    }
}

#[cfg(test)]
mod tests;
