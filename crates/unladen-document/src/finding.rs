//! The principal type is [`Finding`]: a recognised pattern of waste, of `unladen.weigh/1` and `unladen.profile/1`.

use serde::{Deserialize, Serialize};
use unladen_quantity::Span;

/// One finding of one page.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Finding {
    pub url: String,
    pub rule: String,
    pub group: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// `warm`, or `fresh` for first requests of fresh processes.
    pub state: String,
    pub summary: String,
    pub evidence: Evidence,
    pub share: Share,
    /// The same in ns per request; `None` if unknown. Documents from before 2026-11-28 have it in `share` only.
    pub takes_ns: Option<Span>,
    /// Per request; `None` if no bound is known, and in documents from before 2026-11-28.
    pub saves_at_most_ns: Option<f64>,
    pub saves: Saves,
    pub fix: Fix,
    pub check_again: String,
}

impl Finding {
    /// The experiment that switches its fix, for `unladen prove`; `None` if nothing can.
    pub fn experiment(&self) -> Option<&str> {
        self.check_again.split_once(Self::EXPERIMENT).map(|(_, text)| text)
    }

    /// Whether `unladen fix` can apply it: its experiment changes something here, and sends no request elsewhere.
    pub fn is_switchable(&self) -> bool {
        self.experiment().is_some_and(|text| !text.contains("\n  { url = "))
    }

    /// What precedes the text of an experiment in `check_again`.
    pub const EXPERIMENT: &str = "unladen prove try.toml, where try.toml is:\n";
}

/// What a finding is based on.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Evidence {
    pub figures: Vec<EvidenceFigure>,
    pub items: Vec<EvidenceItem>,
}

/// One count per request.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct EvidenceFigure {
    pub name: String,
    pub unit: String,
    pub per_request: f64,
    pub low: f64,
    pub high: f64,
}

/// One part of a finding.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct EvidenceItem {
    pub name: String,
    pub per_request: f64,
}

/// A finding's part of the request.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Share {
    pub known: bool,
    /// `latency` or `cpu`; for an unknown part perhaps `nearly all of latency`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_ns: Option<Span>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl Share {
    /// The time in ns and the part of the whole, if both are known.
    pub fn known_part(&self) -> Option<(Span, Span)> {
        let ((value, low), high) = self.value.zip(self.low).zip(self.high)?;
        let time = self.time_ns.filter(|_| self.known && self.of.is_some())?;
        Some((time, Span { value, low, high }))
    }
}

/// Upper bound of a fix's saving, as long as it is not proved.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Saves {
    /// `latency` or `cpu`: the whole that the bound refers to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
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
    pub advice: String,
    /// `operator` or `developer`: who can apply it; empty in documents from before 2026-11-28.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub audience: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub developers: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    pub lines: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<FixPart>,
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
    pub rules: Vec<String>,
    pub elsewhere: bool,
    /// The rule looked and saw likely, but not certain, waste. Documents from before 2026-11-24 lack it.
    pub uncertain: bool,
}
