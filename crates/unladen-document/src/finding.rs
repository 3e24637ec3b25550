//! The principal type is [`Finding`]: a recognised pattern of waste, of `unladen.weigh/1` and `unladen.profile/1`.

use serde::{Deserialize, Serialize};

use crate::figure::Span;

/// One finding of one page.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Finding {
    /// The page.
    pub url: String,
    /// Which pattern.
    pub rule: String,
    /// Whose waste; empty for what the page answers.
    pub group: String,
    /// The host where it was found, if that is not the machine that weighed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// `warm`, or `fresh`: found in first requests of fresh processes.
    pub state: String,
    /// A sentence.
    pub summary: String,
    /// What it rests on.
    pub evidence: Evidence,
    /// What its calls take, as a part of the request.
    pub share: Share,
    /// The same in ns a request; none where it is not known. Documents of before 2026-11-28 have it in `share` alone.
    pub takes_ns: Option<Span>,
    /// What its fix saves at most, ns a request; none where no bound is known, and in documents of before 2026-11-28.
    pub saves_at_most_ns: Option<f64>,
    /// What its fix saves at most.
    pub saves: Saves,
    /// What removes it.
    pub fix: Fix,
    /// How to verify that it is gone.
    pub check_again: String,
}

/// What a finding rests on.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Evidence {
    /// Counts per request.
    pub figures: Vec<EvidenceFigure>,
    /// The parts: files, statements, addresses.
    pub items: Vec<EvidenceItem>,
}

/// One count per request.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct EvidenceFigure {
    /// What is counted.
    pub name: String,
    /// `ns`, `B` or `1`.
    pub unit: String,
    /// The estimate.
    pub per_request: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
}

/// One part of a finding.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct EvidenceItem {
    /// A file, a statement, an address.
    pub name: String,
    /// How often.
    pub per_request: f64,
}

/// A finding's part of the request.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Share {
    /// Whether the part could be told; else `why` says why not.
    pub known: bool,
    /// `latency` or `cpu`; of a part that is not known perhaps `nearly all of latency`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// The part, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Lower end of the 95 % interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// Upper end of the 95 % interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// The same in ns a request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_ns: Option<Span>,
    /// Why it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// What a fix saves, as long as nobody has proved it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Saves {
    /// `latency` or `cpu`: of what the bound is a part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// The part, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
    /// Why no bound is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Which of the calls the fix removes, where those are not all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removes: Option<Removes>,
}

/// Which of its calls a fix removes, a request.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Removes {
    pub what: String,
    /// How many the fix removes.
    pub calls: f64,
    pub of: f64,
}

/// What removes a finding.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Fix {
    /// A sentence.
    pub advice: String,
    /// `operator` or `developer`: who can do that; empty in documents of before 2026-11-28.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub audience: String,
    /// What the application's developers can do besides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub developers: Option<String>,
    /// The file that `lines` belong into.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Lines of that file.
    pub lines: Vec<String>,
    /// What belongs into other files besides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<FixPart>,
    /// Commands, to be run once all lines are in place.
    pub commands: Vec<String>,
}

/// Lines of a further file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct FixPart {
    pub file: String,
    /// What to put into it.
    pub lines: Vec<String>,
}

/// Rules that could not look.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct NotLookedFor {
    /// The page.
    pub url: String,
    pub rules: Vec<String>,
    /// Why not.
    pub why: String,
    pub takes: String,
}

/// A part of the request's path that was not judged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct NotJudged {
    /// The page.
    pub url: String,
    /// Which part.
    pub what: String,
    /// Why not.
    pub why: String,
    /// What judging takes.
    pub takes: String,
    /// The rules that may have missed something there.
    pub rules: Vec<String>,
    /// On another host or network: told, and no failure of a rule.
    pub elsewhere: bool,
    /// The rule looked, and what it saw is likely waste, but not for certain; documents of before 2026-11-24 lack it.
    pub uncertain: bool,
}
