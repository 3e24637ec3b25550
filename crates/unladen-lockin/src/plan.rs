//! The principal type is [`Planner`]: an endless sequence of blocks of phases.
//!
//! Why blocks: within on-off-off-on and off-on-on-off a linear drift cancels exactly. Why a coin for the order: it
//! makes the background's share of each block's difference symmetric about zero, whatever the background. Why jittered
//! lengths: a background with a period near the block's would otherwise meet the same phases again and again. All four
//! phases of a block have one length, else a drift would no longer cancel; lengths differ between blocks.

use std::time::Duration;

/// Phases in a block.
pub const PHASES_PER_BLOCK: usize = 4;

/// Position of the knob during a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Position {
    On,
    Off,
}

impl Position {
    /// Whether requests run.
    pub fn is_on(self) -> bool {
        self == Self::On
    }
}

/// The order of the phases in a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    OnFirst,
    OffFirst,
}

impl Order {
    /// The four positions.
    pub fn positions(self) -> [Position; PHASES_PER_BLOCK] {
        use Position::{Off, On};
        match self {
            Self::OnFirst => [On, Off, Off, On],
            Self::OffFirst => [Off, On, On, Off],
        }
    }
}

/// Duration of phases.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Timing {
    pub phase: Duration,
    /// Lengths are uniform in `phase × (1 ± jitter)`; 0 … 0.5.
    pub jitter: f64,
}

impl Timing {
    /// A quarter: enough to break step with a periodic background, little enough that all blocks weigh much the same.
    pub const JITTER: f64 = 0.25;
}

/// A block to run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BlockPlan {
    /// Index of the subject (the URL) whose requests run in the on phases.
    pub target: usize,
    pub order: Order,
    pub phase: Duration,
}

/// Plans blocks: rounds in which each subject has one block, in a random order.
#[derive(Debug, Clone)]
pub struct Planner {
    rng: fastrand::Rng,
    timing: Timing,
    targets: usize,
    round: Vec<usize>,
}

impl Planner {
    /// `targets` of zero counts as one; `jitter` is clamped to 0 … 0.5.
    pub fn new(seed: u64, targets: usize, timing: Timing) -> Self {
        let timing = Timing { jitter: timing.jitter.clamp(0.0, 0.5), ..timing };
        Self { rng: fastrand::Rng::with_seed(seed), timing, targets: targets.max(1), round: Vec::new() }
    }

    /// Mean duration of a block.
    pub fn mean_block(&self) -> Duration {
        self.timing.phase * PHASES_PER_BLOCK as u32
    }
}

impl Iterator for Planner {
    type Item = BlockPlan;

    /// Never `None`.
    fn next(&mut self) -> Option<BlockPlan> {
        if self.round.is_empty() {
            self.round = (0..self.targets).collect();
            self.rng.shuffle(&mut self.round);
        }
        let target = self.round.pop()?;
        let order = if self.rng.bool() { Order::OnFirst } else { Order::OffFirst };
        let factor = 1.0 + self.timing.jitter * (2.0 * self.rng.f64() - 1.0);
        Some(BlockPlan { target, order, phase: self.timing.phase.mul_f64(factor) })
    }
}

#[cfg(test)]
mod tests;
