//! The principal type is [`Finding`]: a recognised pattern of waste, of `unladen.weigh/1` and `unladen.profile/1`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use unladen_quantity::Span;

/// One finding of one page.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct Finding {
    /// The page.
    pub url: String,
    /// The rule that found it.
    pub rule: String,
    /// Whose waste it is; empty for what the page answers.
    pub group: String,
    /// The host of --host where it was found; absent for the machine that measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// warm, or fresh: found in first requests of fresh processes.
    #[schemars(extend("enum" = ["warm", "fresh"]))]
    pub state: String,
    /// A sentence.
    pub summary: String,
    /// What it rests on.
    pub evidence: Evidence,
    /// What its calls take, as a part of the request.
    pub share: Share,
    /// What its calls take, waits included, in ns a request; null if it is not known. Documents from before 2026-11-28
    /// have it in `share` only.
    pub takes_ns: Option<Span>,
    /// What its fix saves at most, in ns a request, as long as nobody has proved it; null if no bound is known.
    /// Documents from before 2026-11-28 lack it.
    pub saves_at_most_ns: Option<f64>,
    /// What its fix saves at most, as a part of the request, or why no bound is known.
    pub saves: Saves,
    /// What removes it.
    pub fix: Fix,
    /// How to verify that it is gone.
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
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct Evidence {
    /// What was counted.
    pub figures: Vec<EvidenceFigure>,
    /// Its parts: files, statements, addresses.
    pub items: Vec<EvidenceItem>,
}

/// One count per request.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct EvidenceFigure {
    /// What is counted.
    pub name: String,
    /// ns, B (bytes) or 1.
    pub unit: String,
    /// How much a request, in the unit.
    pub per_request: f64,
    /// Lower end of the 95 % interval, in the unit.
    pub low: f64,
    /// Upper end of the 95 % interval, in the unit.
    pub high: f64,
}

/// One part of a finding.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct EvidenceItem {
    /// A file, a statement, an address.
    pub name: String,
    /// How often a request.
    pub per_request: f64,
}

/// A finding's part of the request.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct Share {
    /// Whether the part could be told.
    pub known: bool,
    /// latency or cpu; where the part is not known perhaps: nearly all of latency.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// The part, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Lower end of the 95 % interval, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// Upper end of the 95 % interval, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// The same as a time a request, in ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_ns: Option<Span>,
    /// Why it is not known.
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
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct Saves {
    /// latency or cpu: of what the bound is a part; absent if no bound is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["latency", "cpu"]))]
    pub of: Option<String>,
    /// The part, from 0 to 1; absent if no bound is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
    /// Why no bound is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Which of its calls the fix removes, where those are not all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removes: Option<Removes>,
}

/// The calls per request that a fix removes.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct Removes {
    /// What the calls are.
    pub what: String,
    /// How many the fix removes, a request.
    pub calls: f64,
    /// How many there are, a request.
    pub of: f64,
}

/// The remedy of a finding.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct Fix {
    /// A sentence.
    pub advice: String,
    /// Who can do that: whoever runs the application, or whoever writes it. Documents from before 2026-11-28 lack it.
    #[schemars(extend("enum" = ["operator", "developer"]))]
    pub audience: String,
    /// What the application's developers can do besides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub developers: Option<String>,
    /// The file that the lines belong into.
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
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct FixPart {
    /// The file.
    pub file: String,
    /// What to put into it.
    pub lines: Vec<String>,
}

/// Rules that could not look.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct NotLookedFor {
    /// The page.
    pub url: String,
    /// Which rules.
    pub rules: Vec<String>,
    /// Why not.
    pub why: String,
    /// What it takes.
    pub takes: String,
}

/// A part of the request's path that was not judged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
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
    /// Rules that may have missed something there.
    pub rules: Vec<String>,
    /// Whether it is on another host or network: it fails no rule of --fail-on.
    pub elsewhere: bool,
    /// Whether the rules looked, and what they saw is likely waste, but not for certain: it fails no rule of --fail-on.
    /// Documents from before 2026-11-24 lack it.
    pub uncertain: bool,
}
