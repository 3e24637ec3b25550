//! The principal type is [`Phases`]: when requests ran during a counting.

use serde::{Deserialize, Serialize};
use unladen_lockin::{Block, Order, PHASES_PER_BLOCK, Phase, Weight};

use crate::series::{Interval, Series};

/// All phases of a counting, in blocks of four.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Phases {
    all: Vec<PhaseSeen>,
    #[serde(skip)]
    is_likely: bool,
}

/// One phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhaseSeen {
    pub on: bool,
    pub duration_ns: u64,
    /// In an off phase, as many as would have fit.
    pub requests: u64,
}

impl Phases {
    /// The same phases, for which [`per_request`](Self::per_request) returns what is likely as if it were certain
    /// ([`Interval::likely`]).
    pub(crate) fn likely(self) -> Self {
        Self { is_likely: true, ..self }
    }

    /// Adds a phase and returns its index.
    pub fn push(&mut self, phase: PhaseSeen) -> usize {
        self.all.push(phase);
        self.all.len() - 1
    }

    /// All phases.
    pub fn all(&self) -> &[PhaseSeen] {
        &self.all
    }

    /// Drops the phases of an incomplete block.
    pub fn drop_partial(&mut self) {
        self.all.truncate(self.all.len() / PHASES_PER_BLOCK * PHASES_PER_BLOCK);
    }

    /// Requests sent in whole blocks.
    pub fn requests(&self) -> u64 {
        self.all.iter().filter(|phase| phase.on).fold(0, |sum, phase| sum.saturating_add(phase.requests))
    }

    /// What requests add to a count, per request, and its noise floor; `None` as in [`per_request`](Self::per_request).
    pub fn weigh(&self, series: &Series) -> Option<(Interval, f64)> {
        self.weight(series).map(|weight| (weight.per_request.into(), weight.noise_floor))
    }

    /// What requests add to a count, per request; `None` with too few blocks, or if a block is out of order.
    pub fn per_request(&self, series: &Series) -> Option<Interval> {
        let told = self.weight(series).map(|weight| Interval::from(weight.per_request))?;
        Some(if self.is_likely { told.likely() } else { told })
    }

    fn weight(&self, series: &Series) -> Option<Weight> {
        let blocks: Vec<Block> = self
            .all
            .chunks_exact(PHASES_PER_BLOCK)
            .enumerate()
            .map(|(index, block)| of(block, index, series))
            .collect::<Option<_>>()?;
        Weight::of(&blocks).ok()
    }

    /// The count with requests minus that of the same time without, per request.
    pub fn mean(&self, series: &Series) -> f64 {
        let sum = |on: bool| {
            self.all.iter().enumerate().filter(|(_, phase)| phase.on == on).fold(
                (0.0, 0.0),
                |(count, time), (index, phase)| {
                    (count + series.in_phase(index) as f64, time + phase.duration_ns as f64)
                },
            )
        };
        let ((on, on_time), (off, off_time)) = (sum(true), sum(false));
        let background = if off_time > 0.0 { off * on_time / off_time } else { 0.0 };
        (on - background) / (self.requests().max(1) as f64)
    }
}

fn of(block: &[PhaseSeen], index: usize, series: &Series) -> Option<Block> {
    let order = match block {
        [PhaseSeen { on: true, .. }, _, _, PhaseSeen { on: true, .. }] => Order::OnFirst,
        [PhaseSeen { on: false, .. }, _, _, PhaseSeen { on: false, .. }] => Order::OffFirst,
        _ => return None,
    };
    let mut phases = [Phase::default(); PHASES_PER_BLOCK];
    for (position, (seen, phase)) in block.iter().zip(&mut phases).enumerate() {
        *phase = Phase {
            duration_ns: seen.duration_ns,
            requests: if seen.on { seen.requests } else { 0 },
            count: series.in_phase(index * PHASES_PER_BLOCK + position) as f64,
        };
    }
    Some(Block::new(order, phases))
}

#[cfg(test)]
mod tests;
