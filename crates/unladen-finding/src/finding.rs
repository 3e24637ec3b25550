//! The principal type is [`Finding`]: a recognised pattern of waste, with its evidence and its fix.

use unladen_trace::Interval;

use crate::fix::Fix;
use crate::words::plain;

/// A pattern of waste.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The rule's name.
    pub rule: &'static str,
    /// Whose waste it is: a group's name; empty for what the page answers.
    pub group: String,
    /// What was seen, in a sentence without a full stop: `1,104 ± 3 file checks per request, 412 of them for files that
    /// do not exist`.
    pub summary: String,
    /// The figures in it, for programs.
    pub figures: Vec<Figure>,
    /// What it is made of, the largest first: folders, statements, peers.
    pub items: Vec<Item>,
    /// What its calls take of the request, waits and the other side's time for them included.
    pub takes: Share,
    /// What the fix saves of that, as long as nobody has proved it.
    pub saves: Saves,
    /// Which of its calls the fix removes, where those are not all.
    pub removes: Option<Removes>,
    /// What takes it off.
    pub fix: Fix,
    /// How to see that it is gone: a command, or what to look at.
    pub check_again: String,
}

/// A figure per request.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// `checks`, `checks_missing`
    pub name: &'static str,
    /// `1`, `ns`, `B`
    pub unit: &'static str,
    /// Per request.
    pub value: Interval,
}

/// A part of what was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// A folder, a statement, a peer.
    pub name: String,
    /// How often per request.
    pub per_request: f64,
}

/// How large a part of the request.
#[derive(Debug, Clone, PartialEq)]
pub enum Share {
    Known {
        of: Whole,
        /// ns a request.
        time: Interval,
        /// The part, 0 to 1.
        part: Interval,
    },
    /// Nearly all of it, though how much remains was not measured, and why, in half a line.
    NearlyAll(String),
    /// It cannot be told, and why, in half a line.
    NotKnown(String),
}

/// What a fix saves of a request, before it is proved: a bound.
#[derive(Debug, Clone, PartialEq)]
pub enum Saves {
    /// No more than this.
    AtMost {
        of: Whole,
        /// ns a request.
        time: f64,
        /// The part, 0 to 1.
        part: f64,
    },
    /// No bound follows from what was measured, and why, in half a line.
    NotKnown(String),
}

/// Which of its calls a fix removes.
#[derive(Debug, Clone, PartialEq)]
pub struct Removes {
    /// What they are: `checks`.
    pub what: &'static str,
    /// How many a request.
    pub calls: f64,
    pub of: f64,
}

/// What a share is a share of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whole {
    /// The time until the answer.
    Latency,
    /// The CPU of all that follow.
    Cpu,
}

impl Share {
    /// For ordering: the part's value; what is not known comes last.
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
    /// As it stands in results.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Latency => "latency",
            Self::Cpu => "cpu",
        }
    }
}
