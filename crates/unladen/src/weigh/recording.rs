//! The principal type is [`Recording`]: what was read at the edges of all phases of a run.

use std::collections::HashMap;
use std::time::Duration;

use unladen_lockin::{Block, BlockLatencies, Order, PHASES_PER_BLOCK, Phase};
use unladen_probe::{CounterId, GroupId};

/// All whole blocks of a run.
#[derive(Debug, Default)]
pub(crate) struct Recording {
    pub(crate) blocks: Vec<BlockRecord>,
}

/// One block.
#[derive(Debug)]
pub(crate) struct BlockRecord {
    /// Index of the URL.
    pub(crate) url: usize,
    pub(crate) order: Order,
    pub(crate) phases: [PhaseRecord; PHASES_PER_BLOCK],
}

/// One phase.
#[derive(Debug, Default)]
pub(crate) struct PhaseRecord {
    pub(crate) start_ns: u64,
    pub(crate) duration_ns: u64,
    pub(crate) requests: u64,
    /// What grew, and by how much.
    pub(crate) grown: HashMap<(GroupId, CounterId), u64>,
    pub(crate) latencies_ns: Vec<u64>,
    pub(crate) changed: u64,
    pub(crate) connections: u64,
    pub(crate) reconnected: u64,
}

// === impl Recording ===

impl Recording {
    /// The blocks of one URL.
    pub(crate) fn of_url(&self, url: usize) -> impl Iterator<Item = &BlockRecord> {
        self.blocks.iter().filter(move |block| block.url == url)
    }

    /// Whole blocks of the URL that has the fewest.
    pub(crate) fn rounds(&self, urls: usize) -> usize {
        (0..urls).map(|url| self.of_url(url).count()).min().unwrap_or(0)
    }

    /// Requests of the URL that has the fewest.
    pub(crate) fn requests_of_each(&self, urls: usize) -> u64 {
        (0..urls).map(|url| self.of_url(url).map(BlockRecord::requests).sum()).min().unwrap_or(0)
    }

    /// From the first phase to the last.
    pub(crate) fn elapsed(&self) -> Duration {
        let begin = self.blocks.first().map_or(0, |block| block.phases[0].start_ns);
        let end = self.blocks.last().map_or(0, |block| {
            let last = &block.phases[PHASES_PER_BLOCK - 1];
            last.start_ns + last.duration_ns
        });
        Duration::from_nanos(end.saturating_sub(begin))
    }

    /// A series of blocks of one URL, of the sum of several counters.
    pub(crate) fn series(&self, url: usize, of: impl Fn(&PhaseRecord) -> u64) -> Vec<Block> {
        self.of_url(url).map(|block| block.demodulable(&of)).collect()
    }

    /// The latencies of one URL, by block.
    pub(crate) fn latencies(&self, url: usize) -> BlockLatencies {
        let mut latencies = BlockLatencies::default();
        for block in self.of_url(url) {
            latencies.push_block(block.phases.iter().flat_map(|phase| phase.latencies_ns.iter().copied()));
        }
        latencies
    }
}

// === impl BlockRecord ===

impl BlockRecord {
    pub(crate) fn requests(&self) -> u64 {
        self.phases.iter().map(|phase| phase.requests).sum()
    }

    /// The phases without requests.
    pub(crate) fn off_phases(&self) -> impl Iterator<Item = &PhaseRecord> {
        self.order
            .positions()
            .into_iter()
            .zip(&self.phases)
            .filter(|(position, _)| !position.is_on())
            .map(|(_, phase)| phase)
    }

    fn demodulable(&self, of: &impl Fn(&PhaseRecord) -> u64) -> Block {
        Block::new(
            self.order,
            self.phases.each_ref().map(|phase| Phase {
                duration_ns: phase.duration_ns,
                requests: phase.requests,
                count: of(phase) as f64,
            }),
        )
    }
}

// === impl PhaseRecord ===

impl PhaseRecord {
    /// How much one counter of one group grew.
    pub(crate) fn of(&self, group: GroupId, counter: CounterId) -> u64 {
        self.grown.get(&(group, counter)).copied().unwrap_or(0)
    }
}
