//! The principal type is [`Account`]: sums over all requests of a load, in bounded memory.

use std::collections::BTreeMap;
use std::time::Duration;

use hdrhistogram::Histogram;
use unladen_load::{BinnedLatencies, BodySizes, ErrorKind, LoadEnd, Mix, RecordSummary, RequestRecord, Step};
use unladen_report::{Drift, Lost};

use crate::exit::Failure;
use crate::lateness::Lateness;
use crate::load::machine_log::Stretches;
use crate::load::slices::Slices;

/// Requests of a mix with figures of their own, those with the largest shares; the others are in the sums alone.
pub(crate) const TOLD_APART: usize = 20;

#[derive(Debug, Default)]
pub(crate) struct Account {
    /// Requests with a latency: answered as expected, or not in time.
    pub(crate) all: Slices,
    pub(crate) new: Slices,
    pub(crate) reused: Slices,
    pub(crate) recorded: u64,
    pub(crate) answered: u64,
    pub(crate) cut_short: u64,
    pub(crate) changed: u64,
    pub(crate) body_bytes: u64,
    pub(crate) body_sizes: BodySizes,
    pub(crate) errors: BTreeMap<ErrorKind, u64>,
    /// Answers by status, expected or not.
    pub(crate) statuses: BTreeMap<u16, u64>,
    /// Bounds, each with the number of expected answers within it and not within the one before.
    pub(crate) buckets: Vec<(Duration, u64)>,
    pub(crate) lag: Lag,
    pub(crate) lateness: Lateness,
    /// By index of the request, for the [`TOLD_APART`].
    pub(crate) by_request: BTreeMap<usize, Part>,
    pub(crate) by_step: Vec<(Step, Part)>,
    /// End of the last request, ns since the start.
    pub(crate) last_done_ns: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Part {
    pub(crate) slices: Slices,
    pub(crate) answered: u64,
    pub(crate) errors: u64,
}

#[derive(Debug)]
pub(crate) struct Lag {
    histogram: Histogram<u64>,
    /// Requests that had to wait for another one to end: their lag is not the generator's.
    pub(crate) waited: u64,
}

impl Account {
    pub(crate) fn new(buckets: &[Duration], mix: &Mix, requests: usize, steps: &[Step]) -> Self {
        let mut by_request = BTreeMap::new();
        if requests > 1 {
            let shares = mix.shares(requests);
            let mut indices: Vec<usize> = (0..requests).collect();
            indices.sort_by(|a, b| shares[*b].total_cmp(&shares[*a]));
            by_request.extend(indices.into_iter().take(TOLD_APART).map(|index| (index, Part::default())));
        }
        let steps = if steps.len() > 1 { steps } else { &[] };
        Self {
            buckets: buckets.iter().map(|bound| (*bound, 0)).collect(),
            by_request,
            by_step: steps.iter().map(|step| (*step, Part::default())).collect(),
            ..Self::default()
        }
    }

    pub(crate) fn record(&mut self, record: &RequestRecord) {
        let answered = record.error.is_none();
        // An error has no latency, as a fast error is not a fast page. A request that was not answered in time has at
        // least this one.
        let latency = (answered || record.is_cut_short()).then_some(record.latency_ns);
        self.recorded += 1;
        self.answered += u64::from(answered);
        self.cut_short += u64::from(record.is_cut_short());
        self.changed += u64::from(record.changed);
        self.body_bytes = self.body_bytes.saturating_add(record.body_bytes);
        if answered {
            self.body_sizes.add(record.body_bytes);
        }
        if let Some(kind) = record.error {
            *self.errors.entry(kind).or_default() += 1;
        }
        if let Some(status) = record.status {
            *self.statuses.entry(status).or_default() += 1;
        }
        self.all.record(record.planned_ns, latency, !answered);
        if answered {
            let by_connection = if record.reused { &mut self.reused } else { &mut self.new };
            by_connection.record(record.planned_ns, latency, false);
            let bucket = self.buckets.partition_point(|(bound, _)| bound.as_nanos() < u128::from(record.latency_ns));
            if let Some((_, count)) = self.buckets.get_mut(bucket) {
                *count += 1;
            }
        }
        self.lag.record(record.lag_ns);
        if let Some(lag_ns) = record.lag_ns {
            self.lateness.record(record.planned_ns, lag_ns);
        }
        if let Some(part) = self.by_request.get_mut(&(record.request as usize)) {
            part.record(record, latency);
        }
        if !self.by_step.is_empty() {
            let mut end = 0;
            let step = self.by_step.iter().position(|(step, _)| {
                end += step.time.as_nanos();
                u128::from(record.planned_ns) < end
            });
            let step = step.unwrap_or(self.by_step.len() - 1);
            self.by_step[step].1.record(record, latency);
        }
        self.last_done_ns = self.last_done_ns.max(record.planned_ns.saturating_add(record.latency_ns));
    }

    /// Adds requests whose records were lost: to all counts and latencies, but to no slice of time, request or step.
    pub(crate) fn summarise(&mut self, summary: &RecordSummary) {
        let plus = |sum: &mut u64, more: u64| *sum = sum.saturating_add(more);
        plus(&mut self.recorded, summary.recorded);
        plus(&mut self.answered, summary.answered);
        plus(&mut self.cut_short, summary.cut_short.bins.total());
        plus(&mut self.changed, summary.changed);
        if summary.answered > 0 {
            self.body_sizes = BodySizes::UNKNOWN;
        }
        plus(&mut self.body_bytes, summary.body_bytes);
        summary.errors.iter().for_each(|(kind, count)| plus(self.errors.entry(*kind).or_default(), *count));
        summary.statuses.iter().for_each(|(status, count)| plus(self.statuses.entry(*status).or_default(), *count));
        for (slices, latencies) in [(&mut self.new, &summary.new), (&mut self.reused, &summary.reused)] {
            slices.add_at_no_time(latencies);
            self.all.add_at_no_time(latencies);
            for (latency, count) in latencies.iter() {
                let bucket = self.buckets.partition_point(|(bound, _)| bound.as_nanos() < u128::from(latency));
                if let Some((_, within)) = self.buckets.get_mut(bucket) {
                    plus(within, u64::from(count));
                }
            }
        }
        self.all.add_at_no_time(&summary.cut_short);
        self.lag.absorb(&summary.lag, summary.waited);
        self.last_done_ns = self.last_done_ns.max(summary.last_done_ns);
    }
}

impl Part {
    fn record(&mut self, record: &RequestRecord, latency: Option<u64>) {
        let answered = record.error.is_none();
        self.answered += u64::from(answered);
        self.errors += u64::from(!answered);
        self.slices.record(record.planned_ns, latency, !answered);
    }
}

impl Lag {
    /// `None` if the request had to wait for another one to end.
    pub(crate) fn record(&mut self, lag_ns: Option<u64>) {
        match lag_ns {
            Some(lag_ns) => self.histogram.saturating_record(lag_ns),
            None => self.waited += 1,
        }
    }

    /// Adds the lags of requests whose records were lost; `waited` had to wait.
    pub(crate) fn absorb(&mut self, lags: &BinnedLatencies, waited: u64) {
        for (lag_ns, count) in lags.iter() {
            self.histogram.saturating_record_n(lag_ns, u64::from(count));
        }
        self.waited = self.waited.saturating_add(waited);
    }

    /// In ns; `None` if no lag is the generator's.
    pub(crate) fn at(&self, q: f64) -> Option<u64> {
        (!self.histogram.is_empty()).then(|| self.histogram.value_at_quantile(q))
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = (u64, u32)> {
        let counts = self.histogram.iter_recorded();
        counts.map(|step| (step.value_iterated_to(), u32::try_from(step.count_at_value()).unwrap_or(u32::MAX)))
    }

    /// In ns.
    pub(crate) fn max(&self) -> u64 {
        self.histogram.max()
    }
}

impl Default for Lag {
    fn default() -> Self {
        // Up to an hour, three digits; the library refuses only bounds that are out of order.
        let Ok(histogram) = Histogram::new_with_bounds(1, 3_600_000_000_000, 3) else { unreachable!() };
        Self { histogram, waited: 0 }
    }
}

#[derive(Debug, Default)]
pub(crate) struct AgentPart {
    pub(crate) name: String,
    pub(crate) command: String,
    pub(crate) recorded: u64,
    pub(crate) answered: u64,
    /// Recorded requests that are only counted, since their records were lost.
    pub(crate) unrecorded: u64,
    pub(crate) lag: Lag,
    pub(crate) lateness: Lateness,
    pub(crate) machine: Stretches,
    /// `None` if the agent was lost.
    pub(crate) end: Option<LoadEnd>,
    pub(crate) lost: Option<Lost>,
    /// Planned requests that a lost agent did not report; `None` without a planned number, as in a closed loop that
    /// time ends.
    pub(crate) missing: Option<u64>,
    /// How far its start may be from the agreed one.
    pub(crate) start_uncertainty: Duration,
    pub(crate) round_trip: Duration,
    pub(crate) drift: Option<Drift>,
}

impl AgentPart {
    pub(crate) fn record(&mut self, record: &RequestRecord) {
        self.recorded += 1;
        self.answered += u64::from(record.error.is_none());
        self.lag.record(record.lag_ns);
        if let Some(lag_ns) = record.lag_ns {
            self.lateness.record(record.planned_ns, lag_ns);
        }
    }

    pub(crate) fn summarise(&mut self, summary: &RecordSummary) {
        self.recorded = self.recorded.saturating_add(summary.recorded);
        self.answered = self.answered.saturating_add(summary.answered);
        self.unrecorded = self.unrecorded.saturating_add(summary.recorded);
        self.lag.absorb(&summary.lag, summary.waited);
    }
}

pub(crate) trait Ledger {
    fn record(&mut self, record: &RequestRecord) -> Result<(), Failure>;

    fn summarise(&mut self, summary: &RecordSummary);

    /// Called several times a second, with the time since the start. Fails if a file cannot be written.
    fn look(&mut self, elapsed: Duration) -> Result<(), Failure>;
}
