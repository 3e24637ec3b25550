//! The principal type is [`Finding`]: a recognised pattern of waste, with its evidence and its fix. A [`Rule`] makes
//! it.

use unladen_trace::{Evidence, EvidenceSource, Interval, Series};

use crate::again;
use crate::fix::Fix;
use crate::words::plain;

/// A pattern of waste.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    pub rule: &'static str,
    /// Group with the waste; empty for what the page answers.
    pub group: String,
    /// A sentence without a full stop: `1,104 ± 3 file checks per request, 412 of them for files that do not exist`.
    pub summary: String,
    pub figures: Vec<Figure>,
    /// What it consists of (folders, statements, peers), the largest first.
    pub items: Vec<Item>,
    /// What its calls take of the request, including waits and the other side's time.
    pub takes: Share,
    /// Unproved bound on what the fix saves of that.
    pub saves: Saves,
    pub removes: Option<Removes>,
    pub fix: Fix,
    pub check_again: String,
}

/// A figure per request.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    pub name: &'static str,
    pub unit: &'static str,
    pub value: Interval,
}

/// A part of a finding.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    pub name: String,
    pub per_request: f64,
}

/// Part of the request.
#[derive(Debug, Clone, PartialEq)]
pub enum Share {
    Known {
        of: Whole,
        /// ns a request.
        time: Interval,
        /// The part, 0 to 1.
        part: Interval,
    },
    /// Nearly all; how much remains was not measured, for this reason (half a line).
    NearlyAll(String),
    /// Not known, for this reason (half a line).
    NotKnown(String),
}

/// Upper bound on what a fix saves of a request, before it is proved.
#[derive(Debug, Clone, PartialEq)]
pub enum Saves {
    AtMost {
        of: Whole,
        /// ns a request.
        time: f64,
        /// The part, 0 to 1.
        part: f64,
    },
    /// No bound follows from the measurements, for this reason (half a line).
    NotKnown(String),
}

/// Which of a finding's calls its fix removes, where it leaves some: the saving is of these alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Removes {
    pub what: &'static str,
    pub calls: f64,
    pub of: f64,
}

/// What a share refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Whole {
    Latency,
    /// The CPU of all followed groups.
    Cpu,
}

impl Finding {
    /// What rules mostly say: that the fix saves all that the waste takes, and what checks again. Nothing is listed.
    pub(crate) fn of(rule: &Rule, evidence: &Evidence, group: Option<usize>, takes: Share, fix: Fix) -> Self {
        Self {
            rule: rule.name,
            group: group.map(|group| evidence.group(group).to_owned()).unwrap_or_default(),
            summary: String::new(),
            figures: Vec::new(),
            items: Vec::new(),
            saves: Saves::all_of(&takes),
            removes: None,
            takes,
            check_again: again::of(evidence, &fix),
            fix,
        }
    }
}

impl Share {
    /// Sort key: the part's value; unknown shares come last.
    pub fn rank(&self) -> f64 {
        match self {
            Self::Known { part, .. } => part.value,
            Self::NearlyAll(_) => 1.0,
            Self::NotKnown(_) => -1.0,
        }
    }
}

/// From this part on, a fix is said to remove all calls.
const NEARLY_ALL: f64 = 0.97;

impl Removes {
    /// `None` if these are (nearly) all calls.
    pub(crate) fn part(what: &'static str, calls: f64, of: f64) -> Option<Self> {
        (calls < of * NEARLY_ALL).then_some(Self { what, calls, of })
    }

    /// `about 85 of 207 checks`
    pub fn told(&self) -> String {
        format!("about {} of {} {}", plain(self.calls.round()), plain(self.of.round()), self.what)
    }
}

const ITEMS: usize = 10;
/// Less often than this (a request) is not worth a line.
const LEAST_ITEM: f64 = 0.05;

impl Share {
    /// Share of the latency, from ns a request.
    pub(crate) fn of_latency(evidence: &Evidence, time: Option<Interval>) -> Self {
        let Some(time) = time else { return Self::NotKnown("how long it takes is not known".into()) };
        Self::of(Whole::Latency, time, evidence.page.latency, "the latency is not known")
    }

    /// Share of the CPU of all followed groups, from CPU ns a request.
    pub(crate) fn of_cpu(evidence: &Evidence, time: Option<Interval>) -> Self {
        let Some(time) = time else { return Self::NotKnown("how much CPU it takes is not known".into()) };
        Self::of(Whole::Cpu, time, evidence.page.cpu, "the CPU of a request is not known")
    }

    /// No part is more than its whole, though both were measured at different times, by different clocks. Where even
    /// their intervals say so, one of them is wrong.
    pub(crate) fn of(of: Whole, time: Interval, whole: Option<Interval>, unknown: &str) -> Self {
        let Some((whole, part)) = whole.and_then(|whole| Some((whole, time.over(whole)?))) else {
            return Self::NotKnown(unknown.into());
        };
        if time.low > whole.high {
            return Self::NotKnown("while traced, its calls took longer than the whole request otherwise".into());
        }
        let ends = |ends: Interval, most: Interval| Interval {
            value: ends.value.clamp(0.0, most.value),
            low: ends.low.clamp(0.0, most.low),
            high: ends.high.clamp(0.0, most.high),
        };
        let one = Interval { value: 1.0, low: 1.0, high: 1.0 };
        Self::Known { of, time: ends(time, whole), part: ends(part, one) }
    }
}

impl Saves {
    pub(crate) fn all_of(takes: &Share) -> Self {
        Self::part_of(takes, 1.0)
    }

    /// Upper bound, by a factor below 1 if the fix leaves some calls, above if it removes more; at most the whole
    /// request.
    pub(crate) fn part_of(takes: &Share, factor: f64) -> Self {
        match takes {
            Share::Known { of, time, part } if part.high > 0.0 => {
                let most = time.high / part.high;
                let bound = (part.high * factor).clamp(0.0, 1.0);
                Self::AtMost { of: *of, time: (time.high * factor).clamp(0.0, most), part: bound }
            }
            Share::Known { .. } => Self::NotKnown("its cost is too small to measure".into()),
            Share::NearlyAll(why) | Share::NotKnown(why) => Self::NotKnown(why.clone()),
        }
    }

    pub(crate) fn whole(evidence: &Evidence) -> Self {
        match evidence.page.latency {
            Some(latency) => Self::AtMost { of: Whole::Latency, time: latency.high, part: 1.0 },
            None => Self::NotKnown("the latency is not known".into()),
        }
    }

    /// Upper bound `ns` a request, of the same whole as `takes`.
    pub(crate) fn at_most(takes: &Share, ns: f64) -> Self {
        let high = match takes {
            Share::Known { time, .. } if time.high > 0.0 => time.high,
            _ => return Self::all_of(takes),
        };
        Self::part_of(takes, ns.max(0.0) / high)
    }

    /// The saving happens where nothing is counted.
    pub(crate) fn unproved(why: &str) -> Self {
        Self::NotKnown(format!("{why}: `unladen prove` measures it"))
    }
}

impl Item {
    pub(crate) fn largest(items: impl IntoIterator<Item = (String, f64)>) -> Vec<Self> {
        let mut items: Vec<Self> = items
            .into_iter()
            .filter(|(_, per_request)| *per_request >= LEAST_ITEM)
            .map(|(name, per_request)| Self { name, per_request })
            .collect();
        items.sort_by(|a, b| b.per_request.total_cmp(&a.per_request).then_with(|| a.name.cmp(&b.name)));
        items.truncate(ITEMS);
        items
    }
}

/// Time of calls from the kernel's part of it: `low` to `high` times as much, most likely `value` times.
pub(crate) fn widened(kernel: Interval, low: f64, value: f64, high: f64) -> Interval {
    Interval { value: kernel.value * value, low: kernel.low * low, high: kernel.high * high }
}

/// What requests add to a count, if at least `least`, lower end included.
pub(crate) fn at_least(evidence: &Evidence, series: &Series, least: f64) -> Option<Interval> {
    evidence.per_request(series).filter(|count| count.low >= least && count.low > 0.0)
}

/// Recognises one pattern of waste.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) needs: &'static [EvidenceSource],
    pub(crate) reads: &'static [EvidenceSource],
    pub(crate) page: &'static str,
    pub(crate) check: fn(&Evidence) -> Vec<Finding>,
}

impl Rule {
    /// The name, as in `unladen rules NAME`: `stat-storm`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What it finds, in half a line.
    pub fn about(&self) -> &'static str {
        self.about
    }

    /// Sources it needs; without them it is reported as not looked for, not silently clean.
    pub fn needs(&self) -> &'static [EvidenceSource] {
        self.needs
    }

    /// Sources it reads besides. If the program exists but cannot be looked into, a note says so.
    pub fn reads(&self) -> &'static [EvidenceSource] {
        self.reads
    }

    /// Its page: `docs/reference/rules/NAME.md`.
    pub fn page(&self) -> &'static str {
        self.page
    }

    /// Returns one finding per matching group, peer or statement, unordered.
    pub fn check(&self, evidence: &Evidence) -> Vec<Finding> {
        (self.check)(evidence)
    }
}

#[cfg(test)]
mod tests;
