//! The principal type is [`Finding`]: a recognised pattern of waste, with its evidence and its fix.

use unladen_trace::Interval;

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

/// Which of its calls a fix removes.
#[derive(Debug, Clone, PartialEq)]
pub struct Removes {
    pub what: &'static str,
    pub calls: f64,
    pub of: f64,
}

/// What a share refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whole {
    Latency,
    /// The CPU of all followed groups.
    Cpu,
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

impl Removes {
    /// `about 85 of 207 checks`
    pub fn told(&self) -> String {
        format!("about {} of {} {}", plain(self.calls.round()), plain(self.of.round()), self.what)
    }
}

impl Whole {
    /// Name in results.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Latency => "latency",
            Self::Cpu => "cpu",
        }
    }
}
