//! The principal type is [`Trend`]: a series of runs, and its changes, which [`trend`] finds.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use unladen_document::Span;

use crate::between::{Between, Point, Prior, documented};
use crate::change_points::{FEWEST_RUNS, Located, change, change_points, located, segments};
use crate::key::{Clock, Key};
use crate::measured::margin;
use crate::row::{Kind, Verdict, named};
use crate::run::{History, Run, RunLabel};
use crate::series::{Look, Origin};
use crate::speed::level;

/// Runs of one target in the order of time, and their changes: `unladen.trend/1`, whose schema describes each field.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trend {
    pub schema: &'static str,
    pub verb: String,
    pub target: String,
    pub runs: Vec<RunLabel>,
    pub series: Vec<Series>,
    pub warnings: Vec<String>,
}

impl Trend {
    /// Whether there are enough runs to look for changes; with fewer, their absence means nothing.
    pub fn is_looked_at(&self) -> bool {
        self.runs.len() >= FEWEST_RUNS
    }
}

/// One metric over the runs, named like a [`Row`](crate::Row) of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Series {
    pub url: String,
    pub metric: String,
    pub kind: Kind,
    pub group: Option<String>,
    pub counter: Option<String>,
    pub state: Option<String>,
    pub arm: Option<String>,
    /// `ns`, `B`, `1` or `1/s`.
    pub unit: String,
    pub headline: bool,
    /// Whether the machine's own speed is divided out of the points: they are in the unit at the speed of the latest
    /// run's machine.
    pub in_reference_units: bool,
    pub between_runs: f64,
    pub is_ratio: bool,
    pub points: Vec<SeriesPoint>,
    pub changes: Vec<ChangePoint>,
}

impl Series {
    /// The metric's name, as [`Row::name`](crate::Row::name).
    pub fn name(&self) -> String {
        named(&self.metric, self.arm.as_deref(), self.state.as_deref())
    }
}

/// One run's figure.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SeriesPoint {
    /// Position of the run in [`Trend::runs`].
    pub run: usize,
    pub value: f64,
    /// Lower end of its 95 % interval, with the variation between runs.
    pub low: f64,
    pub high: f64,
}

/// A change of a series.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ChangePoint {
    /// The last run before it, a position in [`Trend::runs`].
    pub last_before: usize,
    pub first_after: usize,
    /// The change may also lie later than this run …
    pub earliest: usize,
    /// … and earlier than this one, with 95 % confidence.
    pub latest: usize,
    /// After / before, or after − before if the series is not one of ratios.
    pub change: Span,
    /// For no change anywhere, by permutation, over all series together.
    pub p: f64,
    /// `heavier`, `lighter`, `slower` or `faster`.
    pub verdict: Verdict,
}

/// Document version. It changes if a field is removed or changes its meaning, not if one is added.
const SCHEMA: &str = "unladen.trend/1";

/// Only this many of the latest runs are considered.
const MOST_RUNS: usize = 200;

/// Maximum number of series, since the permutations cover all of them.
const MOST_SERIES: usize = 1000;

/// One metric, with the runs that have it.
struct Line<'a> {
    key: &'a Key,
    is_ratio: bool,
    has_reference: bool,
    runs: Vec<usize>,
    points: Vec<Point>,
    /// For elapsed time: the points with the machine's own speed divided out.
    at_one_speed: Option<Vec<Point>>,
}

/// Sorts the runs of a history by time, and looks for changes in each metric. Runs measured differently from the latest
/// do not count.
///
/// All series are judged together: for runs of the same thing, 95 % of trends have no change at all.
pub fn trend(history: &History) -> Trend {
    let all = history.in_order();
    let Some(latest) = all.last().copied() else {
        return Trend {
            schema: SCHEMA,
            verb: String::new(),
            target: String::new(),
            runs: Vec::new(),
            series: Vec::new(),
            warnings: vec!["there are no runs".to_owned()],
        };
    };
    let mut runs = all.clone();
    runs.retain(|run| latest.setting.differences(&run.setting).is_empty());
    let mut warnings = Vec::new();
    if runs.len() < all.len() {
        let others = all.len() - runs.len();
        let plural = if others == 1 { "" } else { "s" };
        warnings.push(format!("{others} run{plural} measured something else than the latest run, or in another way"));
    }
    if runs.len() > MOST_RUNS {
        warnings.push(format!("only the latest {MOST_RUNS} of {} runs are used", runs.len()));
        runs.drain(..runs.len() - MOST_RUNS);
    }
    if runs.len() < FEWEST_RUNS {
        let plural = if runs.len() == 1 { "" } else { "s" };
        warnings
            .push(format!("{} run{plural} so far: at least {FEWEST_RUNS} are needed to look for changes", runs.len()));
    }
    let names = reference_names(&runs, latest);
    let origin = level(&latest.references, &names).map(|level| Origin { names: &names, level: level.y });
    let mut keys = keys(&runs);
    if keys.len() > MOST_SERIES {
        warnings.push(format!("only the first {MOST_SERIES} of {} metrics are used", keys.len()));
        keys.truncate(MOST_SERIES);
    }
    let lines: Vec<Line<'_>> = keys.iter().filter_map(|key| line(key, &runs, latest, origin)).collect();
    if origin.is_none() && lines.iter().any(|line| line.key.clock() == Clock::Cpu) {
        warnings.push(
            "the runs have no reference work in common: CPU times include changes of the machine's speed".to_owned(),
        );
    }
    let found =
        change_points(&lines.iter().map(|line| (line.runs.as_slice(), line.points.as_slice())).collect::<Vec<_>>());
    let series = lines.iter().zip(found).map(|(line, changes)| series(line, &changes, &runs)).collect();
    Trend {
        schema: SCHEMA,
        verb: latest.setting.verb.to_owned(),
        target: latest.setting.target.clone(),
        runs: runs.iter().map(|run| run.label.clone()).collect(),
        series,
        warnings,
    }
}

/// Kinds of reference work of the latest run, if at least half of the runs have them all.
fn reference_names(runs: &[&Run], latest: &Run) -> Vec<String> {
    let names: Vec<String> = latest.references.iter().map(|reference| reference.name.clone()).collect();
    let have = runs.iter().filter(|run| level(&run.references, &names).is_some()).count();
    if have * 2 >= runs.len() { names } else { Vec::new() }
}

/// Metrics in at least a quarter of the runs, in the order of their first appearance.
fn keys(runs: &[&Run]) -> Vec<Key> {
    let mut shown: BTreeMap<&Key, usize> = BTreeMap::new();
    for run in runs {
        for (key, _) in run.figures.iter().filter(|(_, measured)| measured.shown) {
            *shown.entry(key).or_default() += 1;
        }
    }
    let mut seen = BTreeSet::new();
    let often = |key: &&Key| shown.get(key).is_some_and(|count| count * 4 >= runs.len());
    let in_order = runs.iter().rev().flat_map(|run| &run.order).filter(often);
    in_order.filter(|key| seen.insert(*key)).cloned().collect()
}

fn line<'a>(key: &'a Key, of_time: &[&Run], latest: &Run, origin: Option<Origin<'_>>) -> Option<Line<'a>> {
    let reference = origin.filter(|_| key.clock() == Clock::Cpu);
    let noise_floor = of_time.iter().rev().find_map(|run| run.figures.get(key)?.figure.noise_floor);
    let is_of_here =
        |run: &Run| key.clock() == Clock::None || reference.is_some() || run.machine.is_same(&latest.machine);
    let usable = || of_time.iter().enumerate().filter(|(_, run)| is_of_here(run));
    let has_logarithm = |run: &Run| run.figure(key, noise_floor).is_none_or(|measured| measured.is_positive());
    let is_ratio = !key.is_share() && usable().all(|(_, run)| has_logarithm(run));
    let look = Look { key, is_ratio, reference, noise_floor };
    let (runs, points): (Vec<usize>, Vec<Point>) =
        usable().filter_map(|(index, run)| Some((index, look.point(run)?))).unzip();
    let at_one_speed = origin.filter(|_| key.clock() == Clock::Elapsed && is_ratio).and_then(|origin| {
        let speed = |&index: &usize| level(&of_time[index].references, origin.names);
        let put = |(run, point): (&usize, &Point)| {
            let speed = speed(run)?;
            Some(Point { y: point.y - speed.y + origin.level, variance: point.variance + speed.variance })
        };
        runs.iter().zip(&points).map(put).collect()
    });
    (!points.is_empty()).then_some(Line {
        key,
        is_ratio,
        has_reference: reference.is_some(),
        runs,
        points,
        at_one_speed,
    })
}

/// Elapsed time is partly time on a processor, so a change that the machine's own speed explains is dropped. The
/// interval ranges from all of the machine's change taken off to none.
fn beyond_the_machine(line: &Line<'_>, located: Located, changes: &[usize]) -> Option<Located> {
    let Some(points) = &line.at_one_speed else { return Some(located) };
    let from = changes.iter().copied().filter(|&at| at < located.at).max().unwrap_or(0);
    let to = changes.iter().copied().filter(|&at| at > located.at).min().unwrap_or(points.len());
    let between = Between::of(&segments(points, changes));
    let without = change(&points[from..located.at], &points[located.at..to], between);
    let (low, high) = (without.low.min(located.change.low), without.high.max(located.change.high));
    (low > 0.0 || high < 0.0).then_some(Located { change: Span { low, high, ..located.change }, ..located })
}

fn series(line: &Line<'_>, changes: &[(usize, f64)], runs: &[&Run]) -> Series {
    let key = line.key;
    let at: Vec<usize> = changes.iter().map(|(at, _)| *at).collect();
    let size = if line.is_ratio || key.is_share() {
        1.0
    } else {
        line.points.iter().map(|point| point.y.abs()).fold(0.0, f64::max)
    };
    let between = Between::of(&segments(&line.points, &at))
        .unwrap_or_else(|| Prior::documented(documented(key)).scaled(size).with(None));
    let outer = |y: f64| if line.is_ratio { y.exp() } else { y };
    let point = |(run, point): (&usize, &Point)| {
        let half = margin(between.degrees) * (point.variance + between.variance).sqrt();
        SeriesPoint { run: *run, value: outer(point.y), low: outer(point.y - half), high: outer(point.y + half) }
    };
    let change_point = |located: Located, p: f64| {
        let (more, less) = key.words();
        ChangePoint {
            last_before: line.runs[located.at - 1],
            first_after: line.runs[located.at],
            earliest: line.runs[located.earliest - 1],
            latest: line.runs[located.latest],
            change: located.change.mapped(outer),
            p,
            verdict: if located.change.value > 0.0 { more } else { less },
        }
    };
    Series {
        url: key.url.clone(),
        metric: key.metric.clone(),
        kind: key.kind,
        group: key.group.clone(),
        counter: key.counter.clone(),
        state: key.state.clone(),
        arm: key.arm.clone(),
        unit: key.unit.clone(),
        headline: runs.iter().any(|run| run.figures.get(key).is_some_and(|measured| measured.headline)),
        in_reference_units: line.has_reference,
        between_runs: between.variance.sqrt(),
        is_ratio: line.is_ratio,
        points: line.runs.iter().zip(&line.points).map(point).collect(),
        changes: located(&line.points, &at)
            .into_iter()
            .filter_map(|located| beyond_the_machine(line, located, &at))
            .map(|located| {
                // A refined place keeps the p-value of the nearest one found.
                let nearest = changes.iter().min_by_key(|(at, _)| at.abs_diff(located.at));
                change_point(located, nearest.map_or(1.0, |(_, p)| *p))
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests;
