//! The principal type is [`Units`]: the samples of a run, by the gaps between blocks in which they were taken.

use crate::reference::kind::ReferenceKind;
use crate::reference::sample::ReferenceSample;

/// What the pieces of one kind took in one unit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Sum {
    pub(crate) pieces: u32,
    pub(crate) cpu_ns: u64,
    pub(crate) wall_ns: u64,
}

/// Pieces that run one after the other suffer the same neighbours: so the unit of the statistics is a gap, and where
/// gaps are too short for every kind, several of them.
pub(crate) type Unit = [Sum; ReferenceKind::ALL.len()];

/// The units of a run.
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

    /// A gap has ended: it ends a unit if each kind has had its turn.
    pub(crate) fn end_gap(&mut self) {
        if self.open.iter().all(|sum| sum.pieces > 0) {
            self.whole.push(std::mem::take(&mut self.open));
        }
    }

    /// The whole units.
    pub(crate) fn whole(&self) -> &[Unit] {
        &self.whole
    }
}
