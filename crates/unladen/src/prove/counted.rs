//! [`Counts`]: what requests do in the baseline and in the changed arm, counted after all timing, as a traced process is
//! slower. Counts hardly depend on how busy the machine is, while times do.

use std::collections::BTreeSet;
use std::time::Duration;

use unladen_document::{CountedChange, Span};
use unladen_load::{Cancel, Driver};
use unladen_lockin::{Arm, MIN_BLOCKS, Role, t_critical, t_p_value};
use unladen_probe::{GroupId, Instrument, group_seen};
use unladen_report::Inside;
use unladen_trace::{Evidence, EvidenceSource, Interval, Total};

use crate::progress::Progress;
use crate::prove::measured::BASELINE;
use crate::prove::plan::SETTLE;
use crate::weigh::{Counting, CountingError, Traced};

/// Error rate of all rows together.
const ERROR: f64 = 0.05;
/// A change of less than this part of both counts is of no use to anybody, however exact.
const LEAST: f64 = 0.01;

/// What was counted in both arms.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    baseline: Option<ArmCounts>,
    changed: Option<(usize, ArmCounts)>,
    /// Why nothing was counted, or only in one arm.
    why: Option<String>,
}

/// The run was interrupted.
#[derive(Debug)]
pub(crate) struct Cancelled;

/// What was counted in one arm, and what could be.
#[derive(Debug, Default)]
struct ArmCounts {
    rows: Vec<Row>,
    sources: BTreeSet<EvidenceSource>,
    /// Lost events, without which counts of events are too low.
    lost: u64,
}

/// One counter of one group in one arm.
#[derive(Debug, Clone, Default)]
struct Row {
    group: String,
    counter: String,
    per_request: Interval,
    noise_floor: f64,
}

/// How an arm's first request is sent and followed.
pub(crate) struct Counted<'a> {
    pub(crate) driver: &'a mut Driver,
    pub(crate) instrument: &'a mut Instrument,
    /// The groups that it goes through.
    pub(crate) groups: Vec<GroupId>,
    /// Processes at which it was seen.
    pub(crate) took: Vec<u32>,
    pub(crate) latency: Duration,
    pub(crate) seed: u64,
    pub(crate) cancel: &'a Cancel,
    pub(crate) progress: &'a Progress,
}

impl Counted<'_> {
    /// All counters of the groups, per request, those too that are not distinguishable from none: their intervals say so.
    fn counts(self, request: usize) -> Result<ArmCounts, CountingError> {
        let Self { driver, instrument, groups, took, latency, seed, cancel, progress } = self;
        let seen = groups.iter().map(|group| group_seen(instrument, *group, &[])).collect();
        let mut counting = Counting { driver, instrument, cancel, progress, settle: SETTLE, rate: None, seed };
        let here = counting.attach(&groups, &took)?;
        let mut traced = Traced { here: Some(here), hosts: Vec::new(), cancel };
        counting.count(&mut traced, request, latency)?;
        let mut evidence = Evidence { groups: seen, ..Evidence::default() };
        if let Some(here) = &mut traced.here {
            here.finish(&mut evidence);
        }
        let titled = evidence.all_totals().into_iter().filter(|total| total.title.is_some());
        let row = |total: Total| Row {
            group: evidence.full_name(total.group),
            counter: total.counter,
            per_request: total.per_request,
            noise_floor: total.noise_floor,
        };
        let rows = titled.map(row).collect();
        Ok(ArmCounts { rows, sources: evidence.sources.iter().copied().collect(), lost: evidence.lost })
    }
}

impl Counts {
    pub(crate) fn none(why: &str) -> Self {
        Self { why: Some(why.to_owned()), ..Self::default() }
    }

    /// An arm cannot be counted.
    pub(crate) fn lacks(&mut self, why: &str) {
        self.why.get_or_insert_with(|| why.to_owned());
    }

    /// The arm that is counted beside the baseline: the candidate, or all changes together.
    pub(crate) fn changed_arm(arms: &[Arm]) -> Option<usize> {
        let with = |role| arms.iter().position(|arm| arm.is(role));
        let is_changed = |arm: &Arm| !arm.is(Role::Baseline) && !arm.is(Role::BaselineAgain);
        let knobs = |arm: &Arm| arm.on.iter().filter(|is_on| **is_on).count();
        let most = || (0..arms.len()).filter(|arm| is_changed(&arms[*arm])).max_by_key(|arm| knobs(&arms[*arm]));
        with(Role::Candidate).or_else(|| with(Role::All)).or_else(most)
    }

    /// Counts in an arm that is switched on; `request` is its first. Fails only if it was interrupted: another reason
    /// is kept.
    pub(crate) fn add(&mut self, arm: usize, counted: Counted<'_>, request: usize) -> Result<(), Cancelled> {
        match counted.counts(request) {
            Ok(counts) if arm == BASELINE => self.baseline = Some(counts),
            Ok(counts) => self.changed = Some((arm, counts)),
            Err(CountingError::Interrupted) => return Err(Cancelled),
            Err(error) => self.lacks(&error.to_string()),
        }
        Ok(())
    }

    /// The rows for the result, and why there are none, or not all.
    pub(crate) fn told(&self, arms: &[Arm]) -> (Vec<CountedChange>, Option<String>) {
        let (Some(baseline), Some((arm, changed))) = (&self.baseline, &self.changed) else {
            return (Vec::new(), self.why.clone());
        };
        if baseline.sources != changed.sources {
            return (Vec::new(), Some("not the same could be traced in both arms".to_owned()));
        }
        let lost = baseline.lost.saturating_add(changed.lost);
        let is_whole = |row: &&Row| lost == 0 || !Inside::is_of_events(&row.counter);
        let mut keys: Vec<(&str, &str)> = Vec::new();
        for row in baseline.rows.iter().chain(&changed.rows).filter(is_whole) {
            let key = (row.group.as_str(), row.counter.as_str());
            // A counter that requests move in neither arm says nothing of them.
            if row.per_request.low > 0.0 && !keys.contains(&key) {
                keys.push(key);
            }
        }
        let of = |counts: &ArmCounts, (group, counter): (&str, &str)| {
            let row = counts.rows.iter().find(|row| row.group == group && row.counter == counter);
            // Not one was seen, with requests or without.
            row.cloned().unwrap_or_default()
        };
        let rows = keys.iter().map(|key| {
            let (before, after) = (of(baseline, *key), of(changed, *key));
            CountedChange {
                arm: arms[*arm].name.clone(),
                group: key.0.to_owned(),
                counter: key.1.to_owned(),
                title: Total::title_of(key.1).unwrap_or_default().to_owned(),
                baseline: span(before.per_request),
                candidate: span(after.per_request),
                ratio: ratio(before.per_request, after.per_request),
                noise_floor: before.noise_floor.max(after.noise_floor),
                is_changed: is_changed(&before, &after, keys.len()),
            }
        });
        let lack = (lost > 0).then(|| format!("{lost} events were lost, so that what rests on events is left out"));
        (rows.collect(), lack)
    }
}

fn span(Interval { value, low, high }: Interval) -> Span {
    Span { value, low, high }
}

/// Degrees of freedom of a count: it is of so many blocks.
fn degrees() -> f64 {
    (MIN_BLOCKS - 1) as f64
}

fn standard_error(count: Interval) -> f64 {
    (count.high - count.low) / 2.0 / t_critical(0.05, degrees())
}

/// Whether two counts certainly differ, as one of so many rows (Welch's t; Bonferroni), by more than their noise floors
/// and by enough to matter.
fn is_changed(before: &Row, after: &Row, rows: usize) -> bool {
    let difference = (before.per_request.value - after.per_request.value).abs();
    let least = LEAST * before.per_request.value.max(after.per_request.value);
    if difference == 0.0 || difference < least.max(before.noise_floor).max(after.noise_floor) {
        return false;
    }
    let error = standard_error(before.per_request).hypot(standard_error(after.per_request));
    error == 0.0 || t_p_value(difference / error, degrees()) * (rows as f64) < ERROR
}

/// The count after over that before, with its interval (delta method); `None` where there was none before.
fn ratio(before: Interval, after: Interval) -> Option<Span> {
    if before.low <= 0.0 {
        return None;
    }
    let value = after.value / before.value;
    let error = standard_error(after).hypot(value * standard_error(before)) / before.value;
    let margin = t_critical(0.05, degrees()) * error;
    Some(Span { value, low: (value - margin).max(0.0), high: value + margin })
}

#[cfg(test)]
mod tests;
