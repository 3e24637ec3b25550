//! The blocks of a [`Run`]: counters are read at the edges of phases, and the client is driven between them.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use unladen_load::{End, Stop, Tally};
use unladen_lockin::{Block, BlockPlan, PHASES_PER_BLOCK, Planner, Position, Timing, Until, Verdict, Weight};
use unladen_probe::Reading;
use unladen_report::{Kind, Quantity};

use crate::exit::Failure;
use crate::interrupt::Stopped;
use crate::weigh::catalog::{Catalog, SeriesKey, SourceId};
use crate::weigh::edge::{EdgeReading, SeriesKind};
use crate::weigh::plan::Plan;
use crate::weigh::recording::{BlockRecord, ElsewhereRecord, PhaseRecord};
use crate::weigh::run::Run;

/// Groups considered between rounds.
const CANDIDATES: usize = 5;

impl Run<'_> {
    pub(super) fn blocks(&mut self, urls: usize) -> Stopped {
        let timing = Timing { phase: self.plan.phase, jitter: Timing::JITTER };
        let mut until = self.options.budget.until.map(Until::new);
        let mut reached = f64::INFINITY;
        for (index, block) in Planner::new(self.options.seed, urls, timing).enumerate() {
            match self.block(block) {
                Ok(Some(record)) => self.recording.blocks.push(record),
                Ok(None) => return Stopped::Interrupted,
                Err(failure) => return Stopped::Failed(failure),
            }
            self.reference.between_blocks(self.cancel);
            if !(index + 1).is_multiple_of(urls) {
                continue;
            }
            // No phase runs between rounds, so that computing disturbs none.
            let by_url: Vec<Option<(String, Weight)>> = (0..urls).map(|url| self.heaviest(url)).collect();
            let all_known = by_url.iter().all(Option::is_some);
            let heaviest = by_url
                .into_iter()
                .flatten()
                .max_by(|a, b| a.1.per_request.relative_half_width().total_cmp(&b.1.per_request.relative_half_width()));
            self.show(heaviest.as_ref());
            let narrow = match (&mut until, &heaviest) {
                (Some(until), Some((_, weight))) if all_known => {
                    reached = weight.per_request.relative_half_width();
                    until.look(&weight.per_request) == Verdict::Stop
                }
                _ => false,
            };
            if narrow || self.is_spent(urls) {
                self.missed = until.filter(|_| !narrow).map(|until| (until.target(), reached));
                return Stopped::Done;
            }
        }
        Stopped::Interrupted
    }

    fn is_spent(&self, urls: usize) -> bool {
        if self.recording.rounds(urls) < self.plan.least_rounds {
            return false;
        }
        let enough_requests =
            self.options.budget.requests.is_some_and(|wanted| self.recording.requests_of_each(urls) >= wanted);
        // Another round would end later than asked for by more than half its length.
        let round = (self.plan.phase + self.edge) * (PHASES_PER_BLOCK * urls) as u32;
        let is_over = |time: Duration| self.recording.elapsed() + round / 2 >= time;
        let is_replacing =
            || self.recording.wants_replacements(urls, Plan::CLEAN_ROUNDS) && !is_over(self.plan.most_time);
        enough_requests || is_over(self.plan.time) && !is_replacing()
    }

    /// One block; `None` if cancelled.
    fn block(&mut self, block: BlockPlan) -> Result<Option<BlockRecord>, Failure> {
        let mut phases: [PhaseRecord; PHASES_PER_BLOCK] = Default::default();
        // Between phases, so that it is in none of their counts.
        let begun = self.clock.read();
        let mut before = self.edge()?;
        let as_it_begins = |read: &Option<EdgeReading>| ElsewhereRecord {
            is_whole: read.is_some(),
            times: read.is_some().then(Default::default),
            is_left_out: false,
        };
        let mut elsewhere: Vec<_> = before.elsewhere.iter().map(as_it_begins).collect();
        for (position, record) in block.order.positions().into_iter().zip(&mut phases) {
            let tally = match self.phase(block, position)? {
                Some(tally) => tally,
                None => return Ok(None),
            };
            let after = self.edge()?;
            for (at, reading) in elsewhere.iter_mut().zip(&after.elsewhere) {
                at.is_whole &= reading.is_some();
                let times = reading.as_ref().and_then(|reading| reading.times);
                at.times = times.map(|times| at.times.map_or(times, |sum| sum.plus(times)));
            }
            *record = phase_record(tally, &before, &after, &self.catalog);
            before = after;
        }
        let times = self.clock.read().since(&begun);
        Ok(Some(BlockRecord { url: block.target, order: block.order, phases, times, is_left_out: false, elsewhere }))
    }

    /// Reads all counters, here and elsewhere, at about the same time: the next phase begins when all have been read.
    fn edge(&mut self) -> Result<Readings, Failure> {
        self.edges.ask();
        let here = self.instrument.read()?;
        let elsewhere = self.edges.answers(&mut self.catalog, self.cancel);
        self.catalog.see_here(&self.instrument);
        Ok(Readings { here, elsewhere })
    }

    /// One phase; `None` if cancelled.
    fn phase(&mut self, block: BlockPlan, position: Position) -> Result<Option<Tally>, Failure> {
        let begun = Instant::now();
        let mut tally = Tally::default();
        let mut end = begun + block.phase;
        if position.is_on() {
            // The last response and the settle gap belong to the phase, so that it ends when planned.
            let sending = block.phase.saturating_sub(self.plan.settle + self.latency);
            let stop = Stop { until: begun + sending, max_requests: None };
            tally = self.driver.run(block.target, stop, self.cancel).map_err(|failed| failed.error)?;
            if tally.ended == End::Cancelled {
                return Ok(None);
            }
            end = end.max(tally.last_done.unwrap_or(begun) + self.plan.settle);
        }
        let cancelled = self.cancel.wait(end.saturating_duration_since(Instant::now()));
        Ok((!cancelled).then_some(tally))
    }

    /// The group with the most CPU per request of one URL, as far as known.
    fn heaviest(&self, url: usize) -> Option<(String, Weight)> {
        // Sorted by plain sums, so that pairs of blocks are evaluated for few groups: a noisy background may have the
        // largest sum, and is skipped.
        let sum = |blocks: &[Block]| blocks.iter().map(Block::excess).sum::<f64>();
        let mut groups: Vec<(&String, Vec<Block>)> = self
            .catalog
            .groups()
            .filter(|(_, group)| matches!(group.kind, SeriesKind::Machine | SeriesKind::Processes))
            .filter_map(|(id, group)| {
                let cpu = self.catalog.named(id, "cpu")?;
                Some((&group.name, self.recording.series(url, cpu.source, |phase| phase.of(cpu))))
            })
            .collect();
        groups.sort_by(|a, b| sum(&b.1).total_cmp(&sum(&a.1)));
        let (name, weight) = groups
            .iter()
            .take(CANDIDATES)
            .filter_map(|(name, blocks)| Some((*name, Weight::of(blocks).ok()?)))
            .find(|(_, weight)| weight.per_request.low > 0.0)?;
        Some((name.clone(), weight))
    }

    fn show(&self, heaviest: Option<&(String, Weight)>) {
        let elapsed = self.recording.elapsed();
        let done = match self.options.budget.requests {
            Some(wanted) => {
                let of_each = self.recording.requests_of_each(self.options.driver.requests.len());
                of_each as f64 / wanted.max(1) as f64
            }
            None => elapsed.as_secs_f64() / self.plan.time.as_secs_f64(),
        };
        let what = heaviest.map_or("too few blocks for an interval yet".to_owned(), |(group, weight)| {
            let cpu = weight.per_request;
            let quantity = Quantity { kind: Kind::Time, value: cpu.value, margin: cpu.margin() };
            format!("{group} {quantity} (±{:.1} %)", cpu.relative_half_width() * 100.0)
        });
        let planned = self.options.budget.requests.is_none().then_some(self.plan.time);
        let then = if self.options.inside { "then the findings; " } else { "" };
        self.progress.at(done, elapsed, planned, &format!("{then}{what}"));
    }
}

struct Readings {
    here: Reading,
    elsewhere: Vec<Option<EdgeReading>>,
}

fn phase_record(tally: Tally, before: &Readings, after: &Readings, catalog: &Catalog) -> PhaseRecord {
    let grown_here = after.here.since(&before.here);
    let mut grown: HashMap<SeriesKey, f64> =
        grown_here.map(|(group, counter, grown)| (SeriesKey::here(group, counter), grown as f64)).collect();
    let mut durations_elsewhere_ns = Vec::with_capacity(after.elsewhere.len());
    for (index, (before, after)) in before.elsewhere.iter().zip(&after.elsewhere).enumerate() {
        let (Some(before), Some(after)) = (before, after) else {
            durations_elsewhere_ns.push(0);
            continue;
        };
        durations_elsewhere_ns.push(after.at_ns.saturating_sub(before.at_ns));
        let source = SourceId::elsewhere(index);
        for (series, by) in after.grown.iter().filter(|(_, by)| by.is_finite()) {
            if let Some(key) = catalog.series(source, *series) {
                *grown.entry(key).or_default() += by;
            }
        }
    }
    PhaseRecord {
        start_ns: before.here.at_ns(),
        duration_ns: after.here.at_ns().saturating_sub(before.here.at_ns()),
        durations_elsewhere_ns,
        requests: tally.requests,
        grown,
        latencies_ns: tally.latencies_ns,
        changed: tally.changed,
        body_sizes: tally.body_sizes,
        connections: tally.connections_opened,
        reconnected: tally.closed_by_server,
    }
}
