//! The blocks of a [`Run`]: counters are read at the edges of phases, and the client is driven between them.

use std::time::{Duration, Instant};

use unladen_load::{End, Stop, Tally};
use unladen_lockin::{BlockPlan, PHASES_PER_BLOCK, Planner, Position, Timing, Until, Verdict, Weight};

use super::Run;
use super::readings::{Readings, phase_record};
use super::stopped::Stopped;
use crate::exit::Failure;
use crate::weigh::plan::Plan;
use crate::weigh::recording::{BlockRecord, ElsewhereRecord, PhaseRecord};

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
                let missed = until.filter(|_| !narrow).map(|until| (until.target(), reached));
                return Stopped::Done { missed };
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
        let mut elsewhere: Vec<_> = before.elsewhere.iter().map(|read| present(read.is_some())).collect();
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
        let mut tally = Tally::new();
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
}

/// A source's block as it begins.
fn present(is_there: bool) -> ElsewhereRecord {
    ElsewhereRecord { is_whole: is_there, times: is_there.then(Default::default), is_left_out: false }
}
