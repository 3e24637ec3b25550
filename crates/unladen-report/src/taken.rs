//! The principal type is [`Taken`]: the time of processors that was taken from the machine, and from unladen.

use std::fmt;
use std::time::Duration;

use unladen_quantity::{lasting, percent};

/// Time that was taken. Its text says by whom: `the hypervisor took 31.0 % of the processors' time for others (steal)`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Taken {
    /// The share of the processors' time that the hypervisor took, 0 to 1.
    pub stolen_share: f64,
    /// For how long unladen's own control group was held back because its CPU quota was used up; the times of processors
    /// are summed.
    pub throttled: Duration,
}

/// Time that was taken while requests were sent late.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LateBecause {
    /// What was taken in the stretches of time into which most of the lateness fell.
    pub taken: Taken,
    /// How long these were.
    pub lasted: Duration,
    /// The share of all lateness that fell into them, 0 to 1.
    pub share: f64,
}

/// What became of blocks that were spoiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpoiledFate {
    LeftOut,
    /// They stay: too few would be left.
    TooMany,
    /// They stay: the load itself brought it about.
    ByLoad,
}

/// Blocks that were spoiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpoiledBlocks {
    pub spoiled: usize,
    pub blocks: usize,
    /// What became of them.
    pub fate: SpoiledFate,
}

// === impl Taken ===

impl Taken {
    /// From this share of the processors' time on, steal is worth a word.
    const NOTABLE: f64 = 0.01;

    /// Whether it is worth a word beside a measurement of this length.
    pub fn is_notable(&self, elapsed: Duration) -> bool {
        self.stolen_share >= Self::NOTABLE
            || self.throttled >= elapsed.mul_f64(Self::NOTABLE).max(Duration::from_nanos(1))
    }

    /// What helps against it.
    fn advice(&self) -> &'static str {
        match (self.is_stolen(), self.is_throttled()) {
            (_, false) => "Measure at another hour, or on a machine that is not shared",
            (false, true) => "Raise the quota (cpu.max), or run unladen outside that control group",
            (true, true) => {
                "Raise the quota (cpu.max) of unladen's control group, and measure at another hour or on a machine that is not shared"
            }
        }
    }

    fn is_stolen(&self) -> bool {
        self.stolen_share > 0.0
    }

    fn is_throttled(&self) -> bool {
        !self.throttled.is_zero()
    }
}

impl fmt::Display for Taken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_stolen() || !self.is_throttled() {
            let share = percent(self.stolen_share);
            write!(f, "the hypervisor took {share} % of the processors' time for others (steal)")?;
        }
        if self.is_throttled() {
            let and = if self.is_stolen() { ", and " } else { "" };
            let time = lasting(self.throttled);
            write!(f, "{and}the CPU quota of unladen's own control group held it back for {time} (throttling)")?;
        }
        Ok(())
    }
}

impl fmt::Display for LateBecause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { taken, lasted, share } = self;
        let (share, lasted, advice) = (percent(*share), lasting(*lasted), taken.advice());
        write!(
            f,
            "{share} % of the lateness fell into {lasted} in which {taken}. That is not the server's doing. {advice}"
        )
    }
}

impl SpoiledBlocks {
    /// A sentence or more, behind what was taken.
    pub(crate) fn text(&self, taken: &Taken) -> String {
        let Self { spoiled, blocks, fate } = self;
        let of = format!("{spoiled} of {blocks} blocks");
        match fate {
            SpoiledFate::LeftOut => {
                format!(
                    "{of} are left out for that, by what was taken alone, before any figure of theirs was looked at."
                )
            }
            SpoiledFate::TooMany => format!(
                "{of} are spoiled by that, too many to leave out: the latencies are longer than those of an undisturbed machine, and CPU \
                 times may be. {}.",
                taken.advice()
            ),
            SpoiledFate::ByLoad => format!(
                "{of} are spoiled by that, and the machine did more work in them than in the others: it is held back when it works much, by a \
                 limit or by credits that are used up. Without them the cheaper requests would be chosen, so they stay. Lower the load, \
                 or measure on a machine without that limit."
            ),
        }
    }
}

#[cfg(test)]
mod tests;
