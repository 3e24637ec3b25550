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

// === impl Allowance ===

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
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn nothing_is_allowed_before_a_block_nor_after_a_short_one() {
        let mut allowance = Allowance::default();
        assert!(!allowance.covers(Duration::from_nanos(1)));
        assert_eq!(allowance.share(), 0.0);
        allowance.earn(Duration::from_millis(50));
        assert!(!allowance.covers(Duration::from_millis(1)));
        allowance.earn(Duration::from_millis(10));
        assert!(allowance.covers(Duration::from_millis(1)));
    }

    proptest! {
        /// Whatever blocks and pieces take, no more than one piece is spent beyond the part.
        #[test]
        fn the_cost_stays_within_the_promise(
            blocks in prop::collection::vec(50_u64..20_000, 1..40), pieces in prop::collection::vec(1_u64..30_000, 1..40),
        ) {
            let mut allowance = Allowance::default();
            let mut pieces = pieces.into_iter().map(Duration::from_micros).cycle();
            let expected = Duration::from_millis(1);
            for block in blocks {
                allowance.earn(Duration::from_millis(block));
                while allowance.covers(expected) {
                    allowance.spend(pieces.next().unwrap());
                }
            }
            let most = allowance.earned.mul_f64(PART) + Duration::from_millis(30);
            prop_assert!(allowance.spent <= most);
            let tail = 0.03 / (allowance.earned + allowance.spent).as_secs_f64();
            prop_assert!(allowance.share() <= PART + tail);
        }
    }
}
