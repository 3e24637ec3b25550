//! [`Counts`]: what requests do in the baseline and in the changed arm, counted after all timing, as a traced process is
//! slower. Counts hardly depend on how busy the machine is, while times do.

use std::time::Duration;

use unladen_document::{CountedChange, Span};
use unladen_load::{Cancel, Driver};
use unladen_lockin::{Arm, MIN_BLOCKS, Role, t_critical, t_p_value};
use unladen_probe::{GroupId, Instrument, group_seen};
use unladen_trace::{Evidence, Interval, Total};

use crate::progress::Progress;
use crate::prove::measured::BASELINE;
use crate::prove::plan::SETTLE;
use crate::weigh::{Counting, CountingError, Traced};

/// A phase is short: some dozens of requests are enough for counts, and nobody wants to wait for more.
const PHASE: Duration = Duration::from_millis(150);
/// Error rate of all rows together.
const ERROR: f64 = 0.05;
/// A change of less than this part of both counts is of no use to anybody, however exact.
const LEAST: f64 = 0.01;

/// What was counted in both arms.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    baseline: Option<Vec<Row>>,
    changed: Option<(usize, Vec<Row>)>,
    /// Why nothing was counted, or only in one arm.
    why: Option<String>,
}

/// The run was interrupted.
#[derive(Debug)]
pub(crate) struct Cancelled;

/// One counter of one group in one arm.
#[derive(Debug, Clone)]
struct Row {
    group: String,
    counter: String,
    per_request: Interval,
}

/// How an arm's first request is sent and followed.
pub(crate) struct Counted<'a> {
    pub(crate) driver: &'a mut Driver,
    pub(crate) instrument: &'a mut Instrument,
    /// The groups that it goes through.
    pub(crate) groups: Vec<GroupId>,
    pub(crate) latency: Duration,
    pub(crate) seed: u64,
    pub(crate) cancel: &'a Cancel,
    pub(crate) progress: &'a Progress,
}

impl Counted<'_> {
    /// All counters of the groups, per request.
    fn rows(self, request: usize) -> Result<Vec<Row>, CountingError> {
        let Self { driver, instrument, groups, latency, seed, cancel, progress } = self;
        let seen = groups.iter().map(|group| group_seen(instrument, *group, &[])).collect();
        let mut counting =
            Counting { driver, instrument, cancel, progress, settle: SETTLE, phase: PHASE, rate: None, seed };
        let here = counting.attach(&groups)?;
        let mut traced = Traced { here: Some(here), hosts: Vec::new(), cancel };
        counting.count(&mut traced, request, latency)?;
        let mut evidence = Evidence { groups: seen, ..Evidence::default() };
        if let Some(here) = &mut traced.here {
            here.finish(&mut evidence);
        }
        let titled = evidence.totals().into_iter().filter(|total| total.title.is_some());
        let row = |total: Total| Row {
            group: evidence.full_name(total.group),
            counter: total.counter,
            per_request: total.per_request,
        };
        Ok(titled.map(row).collect())
    }
}

impl Counts {
    pub(crate) fn none(why: &str) -> Self {
        Self { why: Some(why.to_owned()), ..Self::default() }
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
        match counted.rows(request) {
            Ok(rows) if arm == BASELINE => self.baseline = Some(rows),
            Ok(rows) => self.changed = Some((arm, rows)),
            Err(CountingError::Interrupted) => return Err(Cancelled),
            Err(error) => self.why = Some(error.to_string()),
        }
        Ok(())
    }

    /// The rows for the result, and why there are none.
    pub(crate) fn told(&self, arms: &[Arm]) -> (Vec<CountedChange>, Option<String>) {
        let (Some(baseline), Some((arm, changed))) = (&self.baseline, &self.changed) else {
            return (Vec::new(), self.why.clone());
        };
        let mut keys: Vec<(&str, &str)> = Vec::new();
        for row in baseline.iter().chain(changed) {
            let key = (row.group.as_str(), row.counter.as_str());
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        let of = |rows: &[Row], (group, counter): (&str, &str)| {
            let row = rows.iter().find(|row| row.group == group && row.counter == counter);
            row.map_or_else(Interval::default, |row| row.per_request)
        };
        let span = |Interval { value, low, high }: Interval| Span { value, low, high };
        let rows = keys.iter().map(|key| {
            let (before, after) = (of(baseline, *key), of(changed, *key));
            CountedChange {
                arm: arms[*arm].name.clone(),
                group: key.0.to_owned(),
                counter: key.1.to_owned(),
                title: Total::title_of(key.1).unwrap_or_default().to_owned(),
                baseline: span(before),
                candidate: span(after),
                is_changed: is_changed(before, after, keys.len()),
            }
        });
        (rows.collect(), None)
    }
}

/// Whether two counts certainly differ, as one of so many rows (Welch's t; Bonferroni), and by enough to matter.
fn is_changed(before: Interval, after: Interval, rows: usize) -> bool {
    let difference = (before.value - after.value).abs();
    if difference < LEAST * before.value.max(after.value) || difference == 0.0 {
        return false;
    }
    // Each count is of so many blocks.
    let degrees = (MIN_BLOCKS - 1) as f64;
    let error = |count: Interval| (count.high - count.low) / 2.0 / t_critical(0.05, degrees);
    let variance = error(before).powi(2) + error(after).powi(2);
    variance == 0.0 || t_p_value(difference / variance.sqrt(), degrees) * (rows as f64) < ERROR
}

#[cfg(test)]
mod tests;
