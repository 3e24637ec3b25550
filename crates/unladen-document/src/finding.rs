//! The principal type is [`Finding`]: a recognised pattern of waste, of `unladen.weigh/1` and `unladen.profile/1`.

use serde::{Deserialize, Serialize};

use crate::figure::Span;

/// One finding of one page.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Finding {
    pub url: String,
    pub rule: String,
    /// Empty for waste in the page's answer itself.
    pub group: String,
    /// Where it was found, if not on the machine that weighed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// `warm`, or `fresh` for first requests of fresh processes.
    pub state: String,
    /// A sentence.
    pub summary: String,
    pub evidence: Evidence,
    /// The part of the request that its calls take.
    pub share: Share,
    /// The same in ns per request; `None` if unknown. Documents from before 2026-11-28 have it in `share` only.
    pub takes_ns: Option<Span>,
    /// Per request; `None` if no bound is known, and in documents from before 2026-11-28.
    pub saves_at_most_ns: Option<f64>,
    /// Upper bound of the fix's saving.
    pub saves: Saves,
    pub fix: Fix,
    /// How to verify that it is gone.
    pub check_again: String,
}

/// What a finding is based on.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Evidence {
    /// Counts per request.
    pub figures: Vec<EvidenceFigure>,
    /// Files, statements, addresses.
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
    pub per_request: f64,
    pub low: f64,
    pub high: f64,
}

/// One part of a finding.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct EvidenceItem {
    /// A file, a statement, an address.
    pub name: String,
    pub per_request: f64,
}

/// A finding's part of the request.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Share {
    /// If false, `why` has the reason.
    pub known: bool,
    /// `latency` or `cpu`; for an unknown part perhaps `nearly all of latency`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// Per request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_ns: Option<Span>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// Upper bound of a fix's saving, as long as it is not proved.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Saves {
    /// `latency` or `cpu`: the whole that the bound refers to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
    /// Why no bound is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The calls that the fix removes, if not all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removes: Option<Removes>,
}

/// The calls per request that a fix removes.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Removes {
    pub what: String,
    pub calls: f64,
    pub of: f64,
}

/// The remedy of a finding.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Fix {
    /// A sentence.
    pub advice: String,
    /// `operator` or `developer`: who can apply it; empty in documents from before 2026-11-28.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub audience: String,
    /// What the application's developers can do in addition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub developers: Option<String>,
    /// The file to add `lines` to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    pub lines: Vec<String>,
    /// Additions to other files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<FixPart>,
    /// To be run once all lines are in place.
    pub commands: Vec<String>,
}

/// Lines of a further file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct FixPart {
    pub file: String,
    pub lines: Vec<String>,
}

/// Rules that could not look.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct NotLookedFor {
    pub url: String,
    pub rules: Vec<String>,
    pub why: String,
    pub takes: String,
}

/// A part of the request's path that was not judged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct NotJudged {
    pub url: String,
    pub what: String,
    pub why: String,
    pub takes: String,
    /// Rules that may have missed something there.
    pub rules: Vec<String>,
    /// On another host or network: reported, but not a rule's failure.
    pub elsewhere: bool,
    /// The rule looked and saw likely, but not certain, waste. Documents from before 2026-11-24 lack it.
    pub uncertain: bool,
}
