//! The principal type is [`Recording`]: what was read at the edges of all phases of a run.

use std::collections::HashMap;
use std::time::Duration;

use unladen_lockin::{Block, BlockLatencies, MIN_BLOCKS, Order, PHASES_PER_BLOCK, Phase, Spoiled};
use unladen_machine::MachineTimes;
use unladen_probe::{CounterId, GroupId};

use crate::machine::conditions;

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
    /// What the machine did meanwhile.
    pub(crate) times: MachineTimes,
    /// It was spoiled, and does not count.
    pub(crate) is_left_out: bool,
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
    /// The blocks of one URL that count.
    pub(crate) fn of_url(&self, url: usize) -> impl Iterator<Item = &BlockRecord> {
        self.counted().filter(move |block| block.url == url)
    }

    /// The blocks that count.
    pub(crate) fn counted(&self) -> impl Iterator<Item = &BlockRecord> {
        self.blocks.iter().filter(|block| !block.is_left_out)
    }

    /// Leaves out blocks that were spoiled, by the machine's account alone.
    pub(crate) fn leave_out_spoiled(&mut self, urls: usize) -> Spoiled {
        let all: Vec<_> = self.blocks.iter().map(|block| conditions(&block.times)).collect();
        let spoiled = Spoiled::of(&all, |kept| {
            let of_url = |url: usize| {
                self.blocks.iter().zip(kept).filter(|(block, is_kept)| block.url == url && **is_kept).count()
            };
            (0..urls).all(|url| of_url(url) >= MIN_BLOCKS)
        });
        for (index, block) in self.blocks.iter_mut().enumerate() {
            block.is_left_out = spoiled.is_left_out(index);
        }
        spoiled
    }

    /// What the machine did in all blocks.
    pub(crate) fn times(&self) -> MachineTimes {
        self.blocks.iter().fold(MachineTimes::default(), |sum, block| sum.plus(block.times))
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
