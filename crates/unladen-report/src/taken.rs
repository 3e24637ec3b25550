//! The principal type is [`Taken`]: processor time taken from the machine and from unladen.

use std::fmt;
use std::time::Duration;

use unladen_quantity::{lasting, percent};

/// Time taken, displayed with its cause: `the hypervisor took 31.0 % of the processors' time for others (steal)`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Taken {
    /// Share of processor time that the hypervisor took, 0 to 1.
    pub stolen_share: f64,
    /// How long unladen's own control group was throttled by its CPU quota, summed over processors.
    pub throttled: Duration,
}

/// Time taken while requests were sent late.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LateBecause {
    /// Taken in the stretches of time with most of the lateness.
    pub taken: Taken,
    /// Total length of these stretches.
    pub lasted: Duration,
    /// Share of all lateness in these stretches, 0 to 1.
    pub share: f64,
}

/// What became of spoiled blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpoiledFate {
    LeftOut,
    /// Kept, since too few would be left.
    TooMany,
    /// Kept, since the load itself caused it.
    ByLoad,
}

/// Blocks that were spoiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpoiledBlocks {
    pub spoiled: usize,
    pub blocks: usize,
    pub fate: SpoiledFate,
}

// === impl Taken ===

impl Taken {
    /// Share of processor time from which steal is mentioned.
    const NOTABLE: f64 = 0.01;

    /// Whether it matters in a measurement of this length.
    pub fn is_notable(&self, elapsed: Duration) -> bool {
        self.stolen_share >= Self::NOTABLE
            || self.throttled >= elapsed.mul_f64(Self::NOTABLE).max(Duration::from_nanos(1))
    }

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
    /// One or more sentences to follow the text of what was taken.
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
