//! The principal type is [`Recording`]: the readings at the edges of all phases of a run.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use unladen_load::BodySizes;
use unladen_lockin::{Block, BlockLatencies, MIN_BLOCKS, Order, PHASES_PER_BLOCK, Phase, Spoiled};
use unladen_machine::MachineTimes;

use crate::machine::conditions;
use crate::weigh::catalog::{SeriesKey, SourceId};

#[derive(Debug, Default)]
pub(crate) struct Recording {
    pub(crate) blocks: Vec<BlockRecord>,
}

#[derive(Debug)]
pub(crate) struct BlockRecord {
    pub(crate) url: usize,
    pub(crate) order: Order,
    pub(crate) phases: [PhaseRecord; PHASES_PER_BLOCK],
    pub(crate) times: MachineTimes,
    /// The block was spoiled, and is ignored.
    pub(crate) is_left_out: bool,
    /// In the order of the sources.
    pub(crate) elsewhere: Vec<ElsewhereRecord>,
}

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ElsewhereRecord {
    /// All of its readings are there.
    pub(crate) is_whole: bool,
    /// What its machine did meanwhile, if known.
    pub(crate) times: Option<MachineTimes>,
    /// It was spoiled there, and is ignored there.
    pub(crate) is_left_out: bool,
}

#[derive(Debug, Default)]
pub(crate) struct PhaseRecord {
    pub(crate) start_ns: u64,
    pub(crate) duration_ns: u64,
    /// By the clocks of the sources elsewhere, from each one's reading to its next.
    pub(crate) durations_elsewhere_ns: Vec<u64>,
    pub(crate) requests: u64,
    pub(crate) grown: HashMap<SeriesKey, f64>,
    pub(crate) latencies_ns: Vec<u64>,
    pub(crate) changed: u64,
    pub(crate) body_sizes: BodySizes,
    pub(crate) connections: u64,
    pub(crate) reconnected: u64,
}

impl Recording {
    /// The blocks of one URL that are not left out.
    pub(crate) fn of_url(&self, url: usize) -> impl Iterator<Item = &BlockRecord> {
        self.counted().filter(move |block| block.url == url)
    }

    /// The blocks that are not left out.
    pub(crate) fn counted(&self) -> impl Iterator<Item = &BlockRecord> {
        self.blocks.iter().filter(|block| !block.is_left_out)
    }

    /// Leaves out spoiled blocks, by the machine's times alone.
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

    /// Whether some blocks are spoiled, and so few are not that there should be more. Looks at the machine's times
    /// alone, as [`Spoiled`] does, so that a run does not end where its figures please.
    pub(crate) fn wants_replacements(&self, urls: usize, clean_rounds: usize) -> bool {
        let is_clean = |block: &&BlockRecord| !conditions(&block.times).is_spoiled();
        let clean = |url: usize| self.blocks.iter().filter(|block| block.url == url).filter(is_clean).count();
        let spoiled = self.blocks.len() - self.blocks.iter().filter(is_clean).count();
        // If most are spoiled, none is left out.
        let is_rare = spoiled > 0 && spoiled * 2 <= self.blocks.len();
        is_rare && (0..urls).any(|url| clean(url) < clean_rounds)
    }

    /// Leaves out, at a source elsewhere, blocks that were spoiled there; `None` if that is unknown for its machine.
    pub(crate) fn leave_out_spoiled_at(&mut self, source: usize, urls: usize) -> Option<Spoiled> {
        let at = |block: &BlockRecord| block.elsewhere.get(source).filter(|at| at.is_whole)?.times;
        let known: Vec<usize> = (0..self.blocks.len()).filter(|index| at(&self.blocks[*index]).is_some()).collect();
        let all: Vec<_> = known.iter().filter_map(|index| at(&self.blocks[*index])).collect();
        if all.is_empty() {
            return None;
        }
        let spoiled = Spoiled::of(&all.iter().map(conditions).collect::<Vec<_>>(), |kept| {
            let of_url = |url: usize| {
                let counts = |(index, is_kept): &(&usize, &bool)| {
                    let block = &self.blocks[**index];
                    **is_kept && block.url == url && !block.is_left_out
                };
                known.iter().zip(kept).filter(counts).count()
            };
            (0..urls).all(|url| of_url(url) >= MIN_BLOCKS)
        });
        for (place, index) in known.into_iter().enumerate() {
            if let Some(at) = self.blocks[index].elsewhere.get_mut(source) {
                at.is_left_out = spoiled.is_left_out(place);
            }
        }
        Some(spoiled)
    }

    /// What the machine of a source elsewhere did in all blocks that are complete there.
    pub(crate) fn times_at(&self, source: usize) -> MachineTimes {
        let times = self.blocks.iter().filter_map(|block| block.elsewhere.get(source)?.times);
        times.fold(MachineTimes::default(), MachineTimes::plus)
    }

    /// The fewest blocks of any URL that count at a source.
    pub(crate) fn rounds_at(&self, source: SourceId, urls: usize) -> usize {
        (0..urls).map(|url| self.of_url(url).filter(|block| block.counts_at(source)).count()).min().unwrap_or(0)
    }

    pub(crate) fn times(&self) -> MachineTimes {
        self.blocks.iter().fold(MachineTimes::default(), |sum, block| sum.plus(block.times))
    }

    /// Complete blocks of the URL that has the fewest.
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

    /// The blocks of one URL, for the sum of several counters of one source.
    pub(crate) fn series(&self, url: usize, source: SourceId, of: impl Fn(&PhaseRecord) -> f64) -> Vec<Block> {
        self.of_url(url).filter_map(|block| block.demodulable(source, &of)).collect()
    }

    /// Blocks of one URL, for the sum of counters of any sources; `None` where one of these sources has no such block.
    pub(crate) fn joint(&self, url: usize, keys: &[SeriesKey]) -> Vec<Option<Block>> {
        let sources: BTreeSet<SourceId> = keys.iter().map(|key| key.source).collect();
        let of = |block: &BlockRecord, source: SourceId| {
            let keys = || keys.iter().filter(|key| key.source == source);
            block.demodulable(source, &|phase: &PhaseRecord| keys().map(|key| phase.of(*key)).sum())
        };
        let sum = |block: &BlockRecord| {
            let parts: Option<Vec<Block>> = sources.iter().map(|source| of(block, *source)).collect();
            parts?.into_iter().reduce(|sum, part| sum.plus(&part))
        };
        self.of_url(url).map(sum).collect()
    }

    pub(crate) fn latencies(&self, url: usize) -> BlockLatencies {
        let mut latencies = BlockLatencies::default();
        for block in self.of_url(url) {
            latencies.push_block(block.phases.iter().flat_map(|phase| phase.latencies_ns.iter().copied()));
        }
        latencies
    }
}

impl BlockRecord {
    pub(crate) fn requests(&self) -> u64 {
        self.phases.iter().map(|phase| phase.requests).sum()
    }

    pub(crate) fn off_phases(&self) -> impl Iterator<Item = &PhaseRecord> {
        self.order
            .positions()
            .into_iter()
            .zip(&self.phases)
            .filter(|(position, _)| !position.is_on())
            .map(|(_, phase)| phase)
    }

    /// Whether its readings of a source are there and not left out.
    pub(crate) fn counts_at(&self, source: SourceId) -> bool {
        source
            .index_elsewhere()
            .is_none_or(|index| self.elsewhere.get(index).is_some_and(|at| at.is_whole && !at.is_left_out))
    }

    /// By the clock of the source; `None` if the block does not count there.
    fn demodulable(&self, source: SourceId, of: &impl Fn(&PhaseRecord) -> f64) -> Option<Block> {
        self.counts_at(source).then(|| {
            let phase = |phase: &PhaseRecord| Phase {
                duration_ns: phase.duration_at(source),
                requests: phase.requests,
                count: of(phase),
            };
            Block::new(self.order, self.phases.each_ref().map(phase))
        })
    }
}

impl PhaseRecord {
    /// The increment of one counter.
    pub(crate) fn of(&self, key: SeriesKey) -> f64 {
        self.grown.get(&key).copied().unwrap_or(0.0)
    }

    /// Its length by the clock of a source.
    pub(crate) fn duration_at(&self, source: SourceId) -> u64 {
        match source.index_elsewhere() {
            None => self.duration_ns,
            Some(index) => self.durations_elsewhere_ns.get(index).copied().unwrap_or(0),
        }
    }
}

#[cfg(test)]
mod tests;
