//! The principal type is [`Weight`]: demodulation of one counter.

use crate::block::Block;
use crate::estimate::{Estimate, TooFew};
use crate::ratio::{mean_ratio, p_value_of_zero, ratio};

/// Up to this share of off growth relative to the requests' growth, a counter is the requests' own: there is no
/// background to be robust against, and the mean over all requests, expensive ones included, is estimated.
pub(crate) const OWN: f64 = 0.05;

/// What one request adds to one counter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weight {
    /// In the counter's unit.
    pub per_request: Estimate,
    /// Half the width of the interval from the off phases alone; a smaller effect is not measurable.
    pub noise_floor: f64,
    /// Two-sided p-value of "does not follow the requests", before control of false discoveries.
    pub p_value: f64,
}

impl Weight {
    /// Demodulates one counter over the blocks of one subject. Fails with too few blocks that have requests.
    pub fn of(blocks: &[Block]) -> Result<Self, TooFew> {
        let usable: Vec<&Block> = blocks.iter().filter(|block| block.requests() > 0.0).collect();
        let requests: Vec<f64> = usable.iter().map(|block| block.requests()).collect();
        let excess: Vec<f64> = usable.iter().map(|block| block.excess()).collect();
        let null: Vec<f64> = usable.iter().map(|block| block.null_excess()).collect();
        let robust = ratio(&excess, &requests)?;
        // By the plain sum, a burst of background in an on phase would look like a cost of the requests.
        let off: f64 = usable.iter().map(|block| block.off_growth()).sum();
        let by_requests = robust.value * requests.iter().sum::<f64>();
        let is_own = off <= OWN * by_requests;
        Ok(Self {
            per_request: if is_own { mean_ratio(&excess, &requests)? } else { robust },
            noise_floor: ratio(&null, &requests)?.half_width(),
            p_value: p_value_of_zero(&excess),
        })
    }

    /// Whether the counter follows the requests, given its p-value *after* control of false discoveries over all
    /// counters looked at (see [`benjamini_hochberg`](crate::benjamini_hochberg)): significant, upwards, and above the
    /// noise floor.
    pub fn follows(&self, adjusted_p: f64) -> bool {
        adjusted_p <= crate::FALSE_DISCOVERY_RATE
            && self.per_request.low > 0.0
            && self.per_request.value > self.noise_floor
    }

    /// Whether the counter grew with the requests in every block and above the noise floor: as clear as so few blocks can
    /// be. If it does not [follow](Self::follows) for all that, there are too few of them for so many counters.
    pub fn grows_in_every_block(&self) -> bool {
        // The smallest two-sided p-value of n blocks is 2 / 2ⁿ.
        let least_p = 2.0 * 0.5_f64.powi(i32::try_from(self.per_request.blocks).unwrap_or(i32::MAX));
        self.p_value <= least_p * 1.001 && self.follows(0.0)
    }

    /// Whether the counter shrinks when requests run: a background that the requests displaced.
    pub fn is_displaced(&self, adjusted_p: f64) -> bool {
        adjusted_p <= crate::FALSE_DISCOVERY_RATE
            && self.per_request.high < 0.0
            && -self.per_request.value > self.noise_floor
    }
}

#[cfg(test)]
mod tests;
