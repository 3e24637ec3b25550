//! The principal type is [`Block`]: one counter in four phases.

use crate::plan::{Order, PHASES_PER_BLOCK};

/// One counter over one phase.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Phase {
    /// Time between the phase's two readings.
    pub duration_ns: u64,
    /// Requests that ended in it; 0 in an off phase.
    pub requests: u64,
    pub count: f64,
}

/// One counter over one block: the unit of resampling.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Block {
    order: Order,
    phases: [Phase; PHASES_PER_BLOCK],
}

impl Block {
    /// `phases` in the order in which they ran, which is that of `order`.
    pub fn new(order: Order, phases: [Phase; PHASES_PER_BLOCK]) -> Self {
        Self { order, phases }
    }

    /// Requests in the block.
    pub fn requests(&self) -> f64 {
        self.phases.iter().map(|phase| phase.requests as f64).sum()
    }

    /// Growth in the on phases beyond that expected from the off phases.
    ///
    /// Off phases are scaled to the duration of the on phases, which a slow last request can stretch a little.
    pub fn excess(&self) -> f64 {
        self.sum(true).0 - self.off_growth()
    }

    /// [`excess`](Self::excess) had no requests run, from the two off phases alone: their difference, with the sign of
    /// the block's coin, times √2 because the excess has the noise of four phases and this of two.
    pub fn null_excess(&self) -> f64 {
        let mut off = self.positions().filter(|(on, _)| !on).map(|(_, phase)| phase);
        let (Some(first), Some(second)) = (off.next(), off.next()) else { return 0.0 };
        let scale = if second.duration_ns == 0 { 1.0 } else { first.duration_ns as f64 / second.duration_ns as f64 };
        let difference = first.count - second.count * scale;
        std::f64::consts::SQRT_2 * if self.order == Order::OnFirst { difference } else { -difference }
    }

    /// Growth in the off phases, scaled to the duration of the on phases.
    pub fn off_growth(&self) -> f64 {
        let (off, off_ns) = self.sum(false);
        if off_ns == 0.0 { 0.0 } else { off * (self.sum(true).1 / off_ns) }
    }

    /// Adds another counter of the same phases that was timed by another clock: on another host, a phase lasts from
    /// that host's reading to its next. [`excess`](Self::excess) and [`null_excess`](Self::null_excess) are exactly the
    /// sums of the two; single phases follow this block's clock, and keep of the other's off phases only what those two
    /// sums need.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        let mut phases = self.phases;
        let (mut off, mut on) = (Vec::with_capacity(2), Vec::with_capacity(2));
        for (index, (is_on, _)) in self.positions().enumerate() {
            if is_on { on.push(index) } else { off.push(index) }
        }
        let &[first, second] = off.as_slice() else { return *self };
        for index in on {
            phases[index].count += other.phases[index].count;
        }
        // Two equations for the two off phases: what they lead one to expect, and how they differ.
        let ratio = |over: u64, under: u64| if under == 0 { 1.0 } else { over as f64 / under as f64 };
        let expected = match (other.off_growth(), self.sum(true).1, self.sum(false).1) {
            (growth, on_ns, off_ns) if on_ns > 0.0 => growth * off_ns / on_ns,
            _ => 0.0,
        };
        let theirs = ratio(other.phases[first].duration_ns, other.phases[second].duration_ns);
        let differ = other.phases[first].count - other.phases[second].count * theirs;
        let ours = ratio(phases[first].duration_ns, phases[second].duration_ns);
        let of_second = (expected - differ) / (1.0 + ours);
        phases[first].count += expected - of_second;
        phases[second].count += of_second;
        Self { order: self.order, phases }
    }

    fn sum(&self, want_on: bool) -> (f64, f64) {
        self.positions()
            .filter(|(on, _)| *on == want_on)
            .fold((0.0, 0.0), |(count, ns), (_, phase)| (count + phase.count, ns + phase.duration_ns as f64))
    }

    fn positions(&self) -> impl Iterator<Item = (bool, &Phase)> {
        self.order.positions().into_iter().map(|position| position.is_on()).zip(&self.phases)
    }
}

#[cfg(test)]
mod tests;
