//! The principal type is [`Units`]: the samples of a run, by gaps between blocks.

use crate::reference::kind::ReferenceKind;
use crate::reference::sample::ReferenceSample;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Sum {
    pub(crate) pieces: u32,
    pub(crate) cpu_ns: u64,
    pub(crate) wall_ns: u64,
}

/// Successive pieces suffer the same neighbours: so the unit is a gap, or several if short ones miss a kind.
pub(crate) type Unit = [Sum; ReferenceKind::ALL.len()];

#[derive(Debug, Default)]
pub(crate) struct Units {
    whole: Vec<Unit>,
    open: Unit,
}

impl Units {
    pub(crate) fn add(&mut self, sample: ReferenceSample) {
        let sum = &mut self.open[sample.kind as usize];
        sum.pieces += 1;
        sum.cpu_ns += sample.cpu_ns;
        sum.wall_ns += sample.wall_ns;
    }

    /// Ends a gap, and the unit if each kind has had its turn.
    pub(crate) fn end_gap(&mut self) {
        if self.open.iter().all(|sum| sum.pieces > 0) {
            self.whole.push(std::mem::take(&mut self.open));
        }
    }

    pub(crate) fn whole(&self) -> &[Unit] {
        &self.whole
    }
}
