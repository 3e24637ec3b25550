//! The principal type is [`Counting`]: phases in which the processes that follow the requests are traced.
//!
//! They come after all timing, since a traced process is slower. As in timing, phases with requests and without take
//! turns, so that the effect of other traffic cancels. Requests go one at a time: what a process does between the
//! sending of one request and the next belongs to the first.

use std::time::{Duration, Instant};

use unladen_load::{Arrivals, Cancel, Driver, LoadPlan, Mix, Schedule, Stop};
use unladen_lockin::{MIN_BLOCKS, Planner, Position, Timing};
use unladen_probe::{GroupId, Inspection, InspectionError, Instrument, TracerConfig, monotonic_ns};
use unladen_report::nanos;
use unladen_trace::Window;

use crate::exit::Failure;
use crate::progress::Progress;
use crate::weigh::options::Restart;
use crate::weigh::traced::Traced;

/// Most requests in a traced phase. Twelve phases with requests make six hundred: enough to see one in a hundred.
const MOST_REQUESTS: u64 = 50;
/// Target length of a traced phase. PHP's opcode cache looks at its files every few seconds, in one request of many: in
/// shorter phases, fewer requests than these have more of it by chance.
const PHASE: Duration = Duration::from_millis(400);
/// Factor by which tracing slows a request, for planning: MediaWiki's with its 1,500 system calls takes 1.1 times as
/// long, one that does little else than call the system twice.
const SLOWER: f64 = 1.5;
/// Phases without requests need not be longer than this, nor than a quarter of those with: their counts are scaled, and
/// with a page of seconds the wait would double.
const LONGEST_OFF: Duration = Duration::from_secs(1);
/// Requests sent when tracing has begun, before anything is counted, to fill caches with what is attached.
const WARM_UP: u64 = 2;

/// Bytes of the ring of events; the tracer's default is enough. Not for users: tests make it overflow.
const RING_VARIABLE: &str = "UNLADEN_TRACE_RING";

pub(crate) struct Counting<'a> {
    pub(crate) driver: &'a mut Driver,
    pub(crate) instrument: &'a mut Instrument,
    pub(crate) cancel: &'a Cancel,
    pub(crate) progress: &'a Progress,
    /// End of a phase after its last answer.
    pub(crate) settle: Duration,
    /// Requests a second, if they are paced.
    pub(crate) rate: Option<f64>,
    pub(crate) seed: u64,
}

/// Why counting failed or is incomplete.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CountingError {
    #[error("interrupted")]
    Interrupted,
    #[error("no process of this machine was seen to follow the requests (on a busy machine, a longer --time helps)")]
    NothingFollows,
    /// Tracing is not possible here, or the processes could not be found.
    #[error(transparent)]
    Inspection(#[from] InspectionError),
    #[error("a request failed while counting: {0}")]
    Request(String),
    #[error("{0}")]
    Restart(#[from] Box<Failure>),
}

impl Counting<'_> {
    /// `took` has the processes at which requests were seen.
    pub(crate) fn attach(&mut self, groups: &[GroupId], took: &[u32]) -> Result<Inspection, CountingError> {
        if groups.is_empty() {
            return Err(CountingError::NothingFollows);
        }
        self.progress.say("attaching to the processes that follow the requests");
        Ok(Inspection::open(&config(), self.instrument, groups.to_vec(), took.to_vec())?)
    }

    /// Counts in requests to one URL, and returns the mean latency of each phase with requests, ns. Fewer blocks than
    /// planned are an error: there would be no intervals, and rules would find nothing whatever there is.
    pub(crate) fn count(
        &mut self,
        traced: &mut Traced<'_>,
        url: usize,
        latency: Duration,
    ) -> Result<Vec<f64>, CountingError> {
        let gap = self.rate.map_or(latency, |rate| latency.max(Duration::from_secs_f64(1.0 / rate)));
        let requests = requests_a_phase(gap);
        let lengths = Lengths { on: gap * u32::try_from(requests).unwrap_or(u32::MAX) + self.settle, request: gap };
        self.outcomes(url, WARM_UP)?;
        self.pause(self.settle)?;
        traced.begin(self.instrument)?;
        let mut means = Vec::new();
        self.blocks(traced, lengths, |counting, _| {
            let outcomes = counting.outcomes(url, requests)?;
            means.push(mean_ns(&outcomes));
            Ok(outcomes.into_iter().map(|(sent_ns, _)| sent_ns).collect())
        })?;
        Ok(means)
    }

    pub(super) fn count_fresh(
        &mut self,
        traced: &mut Traced<'_>,
        url: usize,
        restart: &Restart,
    ) -> Result<(), CountingError> {
        // One request a phase: without requests, any length of time can stand for it.
        let lengths = Lengths { on: self.settle, request: Duration::MAX };
        self.blocks(traced, lengths, |counting, traced| {
            restart.run(counting.cancel).map_err(Box::new)?;
            // The restart's own work belongs to no request.
            traced.begin(counting.instrument)?;
            Ok(counting.until_ready(url)?.into_iter().map(|(sent_ns, _)| sent_ns).collect())
        })
    }

    /// Untraced latencies of first requests of fresh processes and of the next ones, ns.
    pub(super) fn time_fresh(&mut self, url: usize, restart: &Restart) -> Result<(Vec<f64>, Vec<f64>), CountingError> {
        let (mut first, mut later) = (Vec::new(), Vec::new());
        for round in 0..MIN_BLOCKS + 1 {
            self.progress.say(format!("fresh processes, untraced: {} of {}", round + 1, MIN_BLOCKS + 1));
            restart.run(self.cancel).map_err(Box::new)?;
            first.push(mean_ns(&self.until_ready(url)?));
            later.push(mean_ns(&self.outcomes(url, 3)?));
        }
        Ok((first, later))
    }

    /// Runs the blocks; in phases with requests, `send` sends them and returns when each was sent, ns. A phase begins
    /// with the first of them; a failed one ends everything.
    fn blocks(
        &mut self,
        traced: &mut Traced<'_>,
        mut lengths: Lengths,
        mut send: impl FnMut(&mut Self, &mut Traced<'_>) -> Result<Vec<u64>, CountingError>,
    ) -> Result<(), CountingError> {
        let timing = Timing { phase: PHASE, jitter: 0.0 };
        for (index, block) in Planner::new(self.seed, 1, timing).take(MIN_BLOCKS).enumerate() {
            self.progress.say(format!("counting what each request does: block {} of {MIN_BLOCKS}", index + 1));
            for position in block.order.positions() {
                self.phase(traced, &mut lengths, position, &mut send)?;
            }
        }
        Ok(())
    }

    fn phase(
        &mut self,
        traced: &mut Traced<'_>,
        lengths: &mut Lengths,
        position: Position,
        send: &mut impl FnMut(&mut Self, &mut Traced<'_>) -> Result<Vec<u64>, CountingError>,
    ) -> Result<(), CountingError> {
        let window = if position.is_on() {
            let sent_ns = send(self, traced)?;
            self.pause(self.settle)?;
            let begin_ns = sent_ns.first().copied().unwrap_or_else(monotonic_ns);
            let window = Window { on: true, begin_ns, end_ns: monotonic_ns(), sent_ns };
            lengths.learn(&window);
            window
        } else {
            let begin_ns = monotonic_ns();
            self.pause(lengths.off())?;
            Window::idle(begin_ns, monotonic_ns(), lengths.request_ns())
        };
        Ok(traced.phase(&window, lengths.request_ns())?)
    }

    /// One request, repeated while the restarted server refuses.
    fn until_ready(&mut self, url: usize) -> Result<Vec<(u64, u64)>, CountingError> {
        let deadline = Instant::now() + Restart::PATIENCE;
        loop {
            match self.outcomes(url, 1) {
                Err(CountingError::Request(_)) if Instant::now() < deadline => {
                    self.pause(Restart::BETWEEN_TRIES)?;
                }
                other => return other,
            }
        }
    }

    /// (sent, latency) of each, ns.
    fn outcomes(&mut self, url: usize, requests: u64) -> Result<Vec<(u64, u64)>, CountingError> {
        let base = (Instant::now(), monotonic_ns());
        let failed = |error: unladen_load::LoadError| match error {
            unladen_load::LoadError::Cancelled => CountingError::Interrupted,
            error => CountingError::Request(error.to_string()),
        };
        let schedule =
            self.rate.map(|rate| Schedule::steady(rate, Arrivals::Constant, 0)).transpose().map_err(failed)?;
        let plan = LoadPlan {
            schedule,
            stop: Stop::after(Duration::MAX).or_requests(requests),
            concurrency: 1,
            ..LoadPlan::new(Mix::only(url))
        };
        let mut running = self.driver.load(plan, self.cancel).map_err(failed)?;
        let mut outcomes = Vec::new();
        let mut has_failed = false;
        while let Some(batch) = running.next_batch() {
            for outcome in batch {
                has_failed |= outcome.error.is_some();
                let sent = outcome.sent.unwrap_or(outcome.planned);
                outcomes.push((
                    base.1 + nanos(sent.saturating_duration_since(base.0)),
                    nanos(outcome.done.saturating_duration_since(sent)),
                ));
            }
        }
        let end = running.end().map_err(failed)?;
        if self.cancel.is_cancelled() {
            return Err(CountingError::Interrupted);
        }
        if has_failed {
            return Err(CountingError::Request(end.first_errors.into_values().next().unwrap_or_default()));
        }
        outcomes.sort_unstable();
        Ok(outcomes)
    }

    fn pause(&self, time: Duration) -> Result<(), CountingError> {
        if self.cancel.wait(time) { Err(CountingError::Interrupted) } else { Ok(()) }
    }
}

fn mean_ns(outcomes: &[(u64, u64)]) -> f64 {
    outcomes.iter().map(|(_, latency)| *latency as f64).sum::<f64>() / outcomes.len().max(1) as f64
}

/// Number of sequential requests, `gap` apart, in a phase.
fn requests_a_phase(gap: Duration) -> u64 {
    let fit = PHASE.as_secs_f64() / (gap.as_secs_f64() * SLOWER).max(1e-6);
    (fit as u64).clamp(1, MOST_REQUESTS)
}

fn config() -> TracerConfig {
    let ring = std::env::var(RING_VARIABLE).ok().and_then(|bytes| bytes.parse().ok());
    let default = TracerConfig::default();
    TracerConfig { ring_bytes: ring.unwrap_or(default.ring_bytes), ..default }
}

/// Measured lengths of phases with requests, which those without follow.
struct Lengths {
    on: Duration,
    request: Duration,
}

impl Lengths {
    fn learn(&mut self, window: &Window) {
        self.on = Duration::from_nanos(window.end_ns.saturating_sub(window.begin_ns));
        if self.request < Duration::MAX {
            self.request = Duration::from_nanos(window.request_ns());
        }
    }

    fn off(&self) -> Duration {
        self.on.min(LONGEST_OFF.max(self.on / 4))
    }

    fn request_ns(&self) -> u64 {
        nanos(self.request).max(1)
    }
}

#[cfg(test)]
mod tests;
