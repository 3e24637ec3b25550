//! The principal type is [`Units`]: what is left out as a whole to see how much an estimate varies.

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    /// By block.
    restarts: Vec<u32>,
    begun: u32,
}

/// The independent units of an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Everything ran in one start of the services: units are balanced, randomly ordered groups of phases.
    Block,
    /// The services were restarted in between: differences between starts count as noise.
    Restart,
}

impl Unit {
    /// In the singular.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Restart => "restart",
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Units {
    pub(crate) unit: Unit,
    count: usize,
    /// (block, unit)
    blocks: Vec<(usize, usize)>,
}

impl Layout {
    pub(crate) fn begin_restart(&mut self) {
        self.begun += 1;
    }

    pub(crate) fn push_block(&mut self) {
        self.restarts.push(self.begun);
    }

    pub(crate) fn blocks(&self) -> usize {
        self.restarts.len()
    }

    pub(crate) fn restarts(&self) -> usize {
        self.restarts.chunk_by(|a, b| a == b).count()
    }

    pub(crate) fn is_aligned_with(&self, other: &Self) -> bool {
        // Numbers may differ by restarts that were begun before any block.
        self.restarts.len() == other.restarts.len()
            && self.restarts.windows(2).zip(other.restarts.windows(2)).all(|(a, b)| (a[0] == a[1]) == (b[0] == b[1]))
    }

    /// The units of the usable blocks: restarts, if there are two or more.
    pub(crate) fn units(&self, is_usable: impl Fn(usize) -> bool) -> Units {
        let usable: Vec<(usize, u32)> =
            self.restarts.iter().copied().enumerate().filter(|(block, _)| is_usable(*block)).collect();
        let restarts = usable.chunk_by(|a, b| a.1 == b.1).count();
        if restarts < 2 {
            let blocks: Vec<_> = usable.iter().enumerate().map(|(unit, (block, _))| (*block, unit)).collect();
            return Units { unit: Unit::Block, count: blocks.len(), blocks };
        }
        let blocks = usable
            .chunk_by(|a, b| a.1 == b.1)
            .enumerate()
            .flat_map(|(unit, run)| run.iter().map(move |(block, _)| (*block, unit)))
            .collect();
        Units { unit: Unit::Restart, count: restarts, blocks }
    }
}

impl Units {
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    pub(crate) fn blocks(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.blocks.iter().copied()
    }
}

#[cfg(test)]
mod tests;
