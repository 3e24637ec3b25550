//! Runs `unladen weigh`, and reads what it says. The principal types are [`Setting`], one run, and [`Weighed`], what was
//! said of one group.

use std::time::Duration;

use nix::unistd::Uid;
use serde::Deserialize;

use super::binaries::Binaries;
use super::burn::Burn;
use super::cgroup::{self, Unit};
use super::disturbance::{Disturbance, Neighbour};
use super::error::RealError;

/// One run.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// What else the machine does.
    pub beside: Neighbour,
    /// The subject is in a control group of its own, and groups are found by that.
    pub in_unit: bool,
    pub time: Duration,
    pub phase: Option<Duration>,
    /// Of the plan and of the background.
    pub seed: u64,
}

impl Setting {
    /// Half a minute beside something.
    pub fn beside(beside: Neighbour, seed: u64) -> Self {
        Self { beside, in_unit: false, time: Duration::from_secs(30), phase: None, seed }
    }

    /// Runs it. Whatever it starts is stopped, on failure too.
    pub fn run(&self, binaries: &Binaries) -> Result<Vec<Weighed>, RealError> {
        // In the order of their ends, from last to first: the group can go when the subject has ended.
        let unit = self.in_unit.then(Unit::create).transpose()?;
        let subject = Burn::start(binaries, self.time * 3 + Duration::from_secs(60))?;
        if let Some(unit) = &unit {
            unit.take(subject.pid())?;
        }
        let disturbance = Disturbance::start(self.beside, self.seed, &(&subject).into())?;
        let before = subject.truth()?;
        let weights = self.weigh(binaries, &subject)?;
        let after = subject.truth()?;
        drop(disturbance);

        let (own, children) = after.per_request_since(&before);
        let groups = if self.in_unit {
            vec![(cgroup::NAME, own + children)]
        } else if Uid::effective().is_root() {
            vec![("burn", own), ("burn-child", children)]
        } else {
            // Who has ended is told to root alone; the parent is credited.
            vec![("burn", own + children)]
        };
        groups.into_iter().map(|(group, truth)| weights.of(group, truth)).collect()
    }

    fn weigh(&self, binaries: &Binaries, subject: &Burn) -> Result<Weights, RealError> {
        let text = self.document(binaries, &subject.url())?;
        serde_json::from_slice(&text).map_err(RealError::of("unladen weigh"))
    }

    /// The whole document.
    pub(super) fn document(&self, binaries: &Binaries, url: &str) -> Result<Vec<u8>, RealError> {
        let time = |time: Duration| humantime::format_duration(time).to_string();
        let group_by = if self.in_unit { "auto" } else { "exe" };
        let mut arguments =
            ["weigh", url, "--json", "--quiet", "--no-findings", "--group-by", group_by].map(String::from).to_vec();
        arguments.extend(["--time".to_owned(), time(self.time), "--seed".to_owned(), self.seed.to_string()]);
        arguments.extend(self.phase.into_iter().flat_map(|phase| ["--phase".to_owned(), time(phase)]));
        binaries.unladen(arguments)
    }
}

/// What was said of one group, and what is true.
#[derive(Debug, Clone, PartialEq)]
pub struct Weighed {
    /// The group, without its user.
    pub group: &'static str,
    /// CPU per request, ns.
    pub truth: f64,
    /// What `weigh` says.
    pub value: f64,
    pub low: f64,
    pub high: f64,
    /// Whether it says that the group follows.
    pub follows: bool,
}

impl Weighed {
    /// How far off the estimate is, as a share of the truth.
    pub fn error(&self) -> f64 {
        self.value / self.truth - 1.0
    }

    /// Whether the interval holds the truth.
    pub fn covers(&self) -> bool {
        self.low <= self.truth && self.truth <= self.high
    }

    /// Half of the interval's width, as a share of the truth.
    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0 / self.truth
    }
}

/// The document of `unladen weigh --json`, as far as it is needed.
#[derive(Debug, Deserialize)]
struct Weights {
    weights: Vec<Row>,
}

#[derive(Debug, Deserialize)]
struct Row {
    group: String,
    counter: String,
    per_request: f64,
    low: f64,
    high: f64,
    follows: bool,
}

impl Weights {
    /// What is said of the CPU of a group, named without its user.
    fn of(&self, group: &'static str, truth: f64) -> Result<Weighed, RealError> {
        let row = self
            .weights
            .iter()
            .filter(|row| row.counter == "cpu")
            .find(|row| row.group.rsplit(' ').next() == Some(group))
            .ok_or_else(|| RealError::failed(format!("unladen weigh says nothing of {group}")))?;
        let Row { per_request: value, low, high, follows, .. } = *row;
        Ok(Weighed { group, truth, value, low, high, follows })
    }
}
