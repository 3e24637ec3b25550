//! The principal type is [`Recording`]: what each arm did, block by block.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use unladen_load::{BinnedLatencies, BodySizes, ErrorKind, RecordSummary, RequestRecord};
use unladen_lockin::{Counts, MIN_BLOCKS, Observations, Phase, Spoiled};
use unladen_machine::MachineTimes;
use unladen_probe::{CounterId, GroupId};

use crate::lateness::{Stretch, beyond};
use crate::load::AgentPart;
use crate::machine::conditions;

#[derive(Debug, Default)]
pub(crate) struct Recording {
    pub(crate) blocks: Vec<BlockRecord>,
}

#[derive(Debug, Default)]
pub(crate) struct BlockRecord {
    pub(crate) restart: usize,
    pub(crate) arms: Vec<ArmRecord>,
    /// The time without requests, if counters were read.
    pub(crate) idle: ArmRecord,
    /// By phase, in chronological order.
    pub(crate) stretches: Vec<Stretch>,
    /// The block was spoiled, and its latencies and counts are ignored.
    pub(crate) is_left_out: bool,
}

#[derive(Debug, Default, Clone)]
pub(crate) struct ArmRecord {
    pub(crate) duration_ns: u64,
    /// How long requests were sent: `duration_ns` includes the rest of the time in which is counted.
    pub(crate) sending_ns: u64,
    /// Requests answered as expected, or not in time: ns from the planned time.
    pub(crate) latencies_ns: Vec<u64>,
    /// Likewise for cold requests.
    pub(crate) cold_ns: Vec<u64>,
    pub(crate) answered: u64,
    /// Transferred bytes of these answers' bodies.
    pub(crate) body_bytes: u64,
    /// Failed or never sent.
    pub(crate) errors: u64,
    /// Errors without an answer in time, which are among the latencies.
    pub(crate) cut_short: u64,
    pub(crate) changed: u64,
    pub(crate) body_sizes: BodySizes,
    /// Answers by status, expected or not.
    pub(crate) statuses: BTreeMap<u16, u64>,
    pub(crate) lags_ns: Vec<u64>,
    /// Requests that had to wait because the most allowed were under way.
    pub(crate) waited: u64,
    pub(crate) grown: HashMap<(GroupId, CounterId), u64>,
    pub(crate) times: MachineTimes,
    /// By sending host; empty if this one sent.
    pub(crate) agents: Vec<AgentPhase>,
}

impl Recording {
    /// The blocks that are not left out.
    pub(crate) fn counted(&self) -> impl Iterator<Item = &BlockRecord> {
        self.blocks.iter().filter(|block| !block.is_left_out)
    }

    /// Leaves out spoiled blocks, by the machine's times alone. Failures in them still count.
    pub(crate) fn leave_out_spoiled(&mut self) -> Spoiled {
        self.leave_out(BlockRecord::times)
    }

    /// Likewise, by the times of each agent's machine.
    pub(crate) fn leave_out_spoiled_at_agents(&mut self) -> Vec<Spoiled> {
        let times = |block: &BlockRecord, index| block.at_agent(index).map(|agent| agent.times).unwrap_or_default();
        (0..self.agents()).map(|index| self.leave_out(|block| times(block, index))).collect()
    }

    fn leave_out(&mut self, times: impl Fn(&BlockRecord) -> MachineTimes) -> Spoiled {
        let all: Vec<_> = self.blocks.iter().map(|block| conditions(&times(block))).collect();
        let spoiled = Spoiled::of(&all, |kept| {
            let left = self.blocks.iter().zip(kept).map(|(block, is_kept)| *is_kept && !block.is_left_out);
            carries(&self.blocks, &left.collect::<Vec<_>>())
        });
        for (index, block) in self.blocks.iter_mut().enumerate() {
            block.is_left_out |= spoiled.is_left_out(index);
        }
        spoiled
    }

    pub(crate) fn agents(&self) -> usize {
        self.blocks.iter().flat_map(|block| &block.arms).map(|arm| arm.agents.len()).max().unwrap_or(0)
    }

    /// All that an agent did; where time matters, only in blocks that are not left out.
    pub(crate) fn agent(&self, index: usize) -> AgentPhase {
        let sum = |blocks: &mut dyn Iterator<Item = &BlockRecord>| {
            let mut sum = AgentPhase::default();
            blocks.filter_map(|block| block.at_agent(index)).for_each(|agent| sum.absorb(&agent));
            sum
        };
        let (counted, all) = (sum(&mut self.counted()), sum(&mut self.blocks.iter()));
        AgentPhase { lags: counted.lags, worked: counted.worked, sending: counted.sending, ..all }
    }

    pub(crate) fn times(&self) -> MachineTimes {
        self.blocks.iter().fold(MachineTimes::default(), |sum, block| sum.plus(block.times()))
    }

    pub(crate) fn observations(&self, of: impl Fn(&BlockRecord) -> &[u64]) -> Observations {
        let mut observations = Observations::new();
        let mut restart = None;
        for block in self.counted() {
            if restart.replace(block.restart) != Some(block.restart) {
                observations.begin_restart();
            }
            observations.push_block(of(block).iter().copied());
        }
        observations
    }

    /// Median latency of the fastest arm, ns: what a generator adds shows there first.
    pub(crate) fn least_median(&self) -> Option<u64> {
        let arms = self.blocks.iter().map(|block| block.arms.len()).max().unwrap_or(0);
        let median = |arm: usize| {
            let records = self.counted().filter_map(|block| block.arms.get(arm));
            let mut all: Vec<u64> = records.flat_map(|record| record.latencies_ns.iter().copied()).collect();
            let middle = all.len().checked_sub(1)? / 2;
            Some(*all.select_nth_unstable(middle).1)
        };
        (0..arms).filter_map(median).min()
    }

    pub(crate) fn counts(&self, of: impl Fn(&BlockRecord) -> Phase) -> Counts {
        let mut counts = Counts::new();
        let mut restart = None;
        for block in self.counted() {
            if restart.replace(block.restart) != Some(block.restart) {
                counts.begin_restart();
            }
            counts.push_block(of(block));
        }
        counts
    }

    pub(crate) fn seen(&self) -> BTreeSet<(GroupId, CounterId)> {
        self.blocks.iter().flat_map(|block| &block.arms).flat_map(|arm| arm.grown.keys().copied()).collect()
    }

    pub(crate) fn statuses(&self, arm: usize) -> Vec<(u16, u64)> {
        let mut statuses = BTreeMap::new();
        for (status, count) in self.blocks.iter().filter_map(|block| block.arms.get(arm)).flat_map(|arm| &arm.statuses)
        {
            *statuses.entry(*status).or_default() += count;
        }
        statuses.into_iter().collect()
    }

    pub(crate) fn body_sizes(&self, arm: usize) -> BodySizes {
        let mut sizes = BodySizes::default();
        self.blocks.iter().filter_map(|block| block.arms.get(arm)).for_each(|record| sizes.join(record.body_sizes));
        sizes
    }

    pub(crate) fn sum(&self, arm: usize, of: impl Fn(&ArmRecord) -> u64) -> u64 {
        self.blocks.iter().filter_map(|block| block.arms.get(arm)).map(of).sum()
    }
}

/// Whether the kept blocks suffice. If services were restarted, restarts are resampled: each has to keep blocks, or as
/// many as an interval of blocks takes.
fn carries(blocks: &[BlockRecord], kept: &[bool]) -> bool {
    let restarts: Vec<usize> = blocks.iter().map(|block| block.restart).collect();
    let distinct = |restarts: &mut dyn Iterator<Item = usize>| restarts.collect::<BTreeSet<_>>().len();
    let all = distinct(&mut restarts.iter().copied());
    let left = || restarts.iter().zip(kept).filter(|(_, is_kept)| **is_kept).map(|(restart, _)| *restart);
    if all < 2 { left().count() >= MIN_BLOCKS } else { distinct(&mut left()) >= all.min(MIN_BLOCKS) }
}

impl BlockRecord {
    fn times(&self) -> MachineTimes {
        self.arms.iter().fold(self.idle.times, |sum, arm| sum.plus(arm.times))
    }

    pub(crate) fn at_agent(&self, index: usize) -> Option<AgentPhase> {
        let mut phases = self.arms.iter().filter_map(|arm| arm.agents.get(index));
        let mut sum = phases.next()?.clone();
        phases.for_each(|phase| sum.absorb(phase));
        Some(sum)
    }
}

impl ArmRecord {
    pub(crate) fn add(&mut self, request: &RequestRecord) {
        let answered = request.error.is_none();
        self.answered += u64::from(answered);
        self.body_bytes = self.body_bytes.saturating_add(if answered { request.body_bytes } else { 0 });
        self.errors += u64::from(!answered);
        self.cut_short += u64::from(request.is_cut_short());
        self.changed += u64::from(request.changed);
        if answered {
            self.body_sizes.add(request.body_bytes);
        }
        if let Some(status) = request.status {
            *self.statuses.entry(status).or_default() += 1;
        }
        if answered || request.is_cut_short() {
            self.latencies_ns.push(request.latency_ns);
        }
        match request.lag_ns {
            Some(lag_ns) => self.lags_ns.push(lag_ns),
            None => self.waited += 1,
        }
    }

    /// Adds requests whose records were lost: their latencies are known to the bin.
    pub(crate) fn summarise(&mut self, summary: &RecordSummary) {
        self.answered += summary.answered;
        self.body_bytes = self.body_bytes.saturating_add(summary.answered_bytes);
        self.errors += summary.errors.values().copied().fold(0, u64::saturating_add);
        self.cut_short += summary.errors.get(&ErrorKind::Timeout).copied().unwrap_or(0);
        self.changed += summary.changed;
        if summary.answered > 0 {
            self.body_sizes = BodySizes::UNKNOWN;
        }
        summary.statuses.iter().for_each(|(status, count)| *self.statuses.entry(*status).or_default() += count);
        let each = |(ns, count): (u64, u32)| std::iter::repeat_n(ns, count as usize);
        for latencies in [&summary.new, &summary.reused, &summary.cut_short] {
            self.latencies_ns.extend(latencies.iter().flat_map(each));
        }
        self.lags_ns.extend(summary.lag.iter().flat_map(each));
        self.waited += summary.waited;
    }

    pub(crate) fn absorb(&mut self, other: Self) {
        self.duration_ns += other.duration_ns;
        self.sending_ns += other.sending_ns;
        if self.agents.len() < other.agents.len() {
            self.agents.resize_with(other.agents.len(), AgentPhase::default);
        }
        self.agents.iter_mut().zip(&other.agents).for_each(|(sum, agent)| sum.absorb(agent));
        self.latencies_ns.extend(other.latencies_ns);
        self.cold_ns.extend(other.cold_ns);
        self.answered += other.answered;
        self.body_bytes = self.body_bytes.saturating_add(other.body_bytes);
        self.errors += other.errors;
        self.cut_short += other.cut_short;
        self.changed += other.changed;
        self.body_sizes.join(other.body_sizes);
        other.statuses.into_iter().for_each(|(status, count)| *self.statuses.entry(status).or_default() += count);
        self.lags_ns.extend(other.lags_ns);
        self.waited += other.waited;
        self.times = self.times.plus(other.times);
        other.grown.into_iter().for_each(|(key, grown)| *self.grown.entry(key).or_default() += grown);
    }

    pub(crate) fn stretch(&self) -> Stretch {
        let late_ns = self.lags_ns.iter().copied().map(beyond).fold(0, u64::saturating_add);
        Stretch { times: self.times, requests: self.lags_ns.len() as u64, late_ns }
    }

    pub(crate) fn phase(&self, key: (GroupId, CounterId)) -> Phase {
        Phase {
            duration_ns: self.duration_ns,
            requests: self.answered,
            count: self.grown.get(&key).copied().unwrap_or(0) as f64,
        }
    }
}

/// What one agent did of an arm's phases, one or several together.
#[derive(Debug, Default, Clone)]
pub(crate) struct AgentPhase {
    pub(crate) name: String,
    pub(crate) command: String,
    pub(crate) recorded: u64,
    pub(crate) answered: u64,
    pub(crate) unsent: u64,
    /// Counted without a record.
    pub(crate) unrecorded: u64,
    pub(crate) lags: BinnedLatencies,
    /// Number of requests whose lag is the agent's, and their total lateness.
    pub(crate) late: (u64, u64),
    pub(crate) cpu: Duration,
    /// CPU time of its sending thread, and how long it sent.
    pub(crate) worked: Duration,
    pub(crate) sending: Duration,
    pub(crate) times: MachineTimes,
    pub(crate) start_uncertainty: Duration,
    pub(crate) round_trip: Duration,
}

impl AgentPhase {
    /// From its reports on one phase, in which it sent for `sending`.
    pub(crate) fn of(part: AgentPart, sending: Duration) -> Self {
        let mut lags = BinnedLatencies::default();
        part.lag.values().for_each(|(lag_ns, count)| lags.add_many(lag_ns, count));
        let of_end = |of: fn(&unladen_load::LoadEnd) -> Duration| part.end.as_ref().map_or(Duration::ZERO, of);
        Self {
            recorded: part.recorded,
            answered: part.answered,
            unsent: part.end.as_ref().map_or(0, |end| end.unsent),
            unrecorded: part.unrecorded,
            late: part.lateness.between(Duration::ZERO, Duration::MAX),
            cpu: of_end(|end| end.cpu),
            worked: of_end(|end| end.worked),
            sending,
            times: part.machine.times(),
            start_uncertainty: part.start_uncertainty,
            round_trip: part.round_trip,
            lags,
            name: part.name,
            command: part.command,
        }
    }

    pub(crate) fn absorb(&mut self, other: &Self) {
        self.recorded = self.recorded.saturating_add(other.recorded);
        self.answered = self.answered.saturating_add(other.answered);
        self.unsent = self.unsent.saturating_add(other.unsent);
        self.unrecorded = self.unrecorded.saturating_add(other.unrecorded);
        self.lags.absorb(&other.lags);
        self.late = (self.late.0.saturating_add(other.late.0), self.late.1.saturating_add(other.late.1));
        self.cpu = self.cpu.saturating_add(other.cpu);
        self.worked = self.worked.saturating_add(other.worked);
        self.sending = self.sending.saturating_add(other.sending);
        self.times = self.times.plus(other.times);
        self.start_uncertainty = self.start_uncertainty.max(other.start_uncertainty);
        self.round_trip = other.round_trip;
        (self.name, self.command) = (other.name.clone(), other.command.clone());
    }

    pub(crate) fn stretch(&self) -> Stretch {
        Stretch { times: self.times, requests: self.late.0, late_ns: self.late.1 }
    }
}

#[cfg(test)]
mod tests;
