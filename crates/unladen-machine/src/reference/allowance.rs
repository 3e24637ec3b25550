//! The principal type is [`Allowance`]: how much time reference work may take.

use std::time::Duration;

/// Share of the blocks' time spent between them. The promised cost is below 2 %, with room for pieces that take longer.
const PART: f64 = 0.017;

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

#[cfg(test)]
mod tests;
