//! Patterns of waste of two runs: [`finding_changes`] makes each a [`FindingChange`].

use serde::Serialize;
use unladen_document::{Document, Finding};
use unladen_lockin::{FALSE_DISCOVERY_RATE, benjamini_hochberg};

use crate::between::{Prior, documented};
use crate::draft::{Draft, Judge};
use crate::key::{FindingKey, Key, finding_key, findings};
use crate::row::Figure;

/// A pattern of waste in two runs, matched by page, rule, group and state.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FindingChange {
    pub url: String,
    pub rule: String,
    pub group: String,
    /// `warm` or `fresh`.
    pub state: String,
    /// The later run's sentence; if it is gone, the earlier one's.
    pub summary: String,
    pub counted: String,
    pub unit: String,
    pub before: Option<Figure>,
    pub after: Option<Figure>,
    pub verdict: FindingVerdict,
    pub why: Option<String>,
}

/// The verdict on a pattern of waste.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, strum::IntoStaticStr, strum::Display)]
#[serde(into = "&'static str")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum FindingVerdict {
    Gone,
    New,
    /// In both runs, without a measurable difference.
    #[strum(serialize = "still there")]
    StillThere,
    /// In both runs, and certainly more in the later one.
    #[strum(serialize = "still there, heavier")]
    Heavier,
    /// In both runs, and certainly less in the later one.
    #[strum(serialize = "still there, lighter")]
    Lighter,
    /// In one run, and in earlier runs now and then: no news.
    #[strum(serialize = "comes and goes")]
    ComesAndGoes,
    /// In one run, and the other did not look for it.
    #[strum(serialize = "not looked for")]
    NotLookedFor,
}

/// Number of times that a finding came or went in the earlier runs from which it comes and goes.
const TURNS: usize = 2;

/// The later run's findings go first.
pub(crate) fn finding_changes(judge: &Judge<'_>, [before, after]: [&Document; 2]) -> Vec<FindingChange> {
    let (earlier, later) = (findings(before), findings(after));
    let gone = earlier.iter().filter(|finding| !later.iter().any(|other| finding_key(other) == finding_key(finding)));
    let all: Vec<&Finding> = later.iter().chain(gone).collect();
    let in_both: Vec<Option<(f64, f64)>> = all.iter().map(|finding| change(judge, finding)).collect();
    let adjusted = benjamini_hochberg(&in_both.iter().map(|found| found.map_or(1.0, |(_, p)| p)).collect::<Vec<_>>());
    all.into_iter()
        .zip(in_both)
        .zip(adjusted)
        .map(|((finding, change), p)| {
            let change = change.filter(|_| p <= FALSE_DISCOVERY_RATE).map_or(0.0, |(change, _)| change);
            of(judge, finding, change)
        })
        .collect()
}

/// Change of the finding's first figure, if both runs have it, and the p-value of no change.
fn change(judge: &Judge<'_>, finding: &Finding) -> Option<(f64, f64)> {
    let key = key_of(finding)?;
    let draft = Draft::of(judge, &key)?;
    let prior = Prior::documented(documented(&key));
    let prior = if draft.is_ratio { prior } else { prior.scaled(draft.size()) };
    let (effect, _) = draft.effect(judge, prior).ok()?;
    Some((if effect.excludes_none() { effect.value } else { 0.0 }, effect.p))
}

fn key_of(finding: &Finding) -> Option<Key> {
    finding.evidence.figures.first().map(|figure| Key::of_finding(finding, &figure.unit))
}

fn of(judge: &Judge<'_>, finding: &Finding, change: f64) -> FindingChange {
    let key = finding_key(finding);
    let first = finding.evidence.figures.first();
    let of_metric = key_of(finding);
    let figure = |figures: &std::collections::BTreeMap<Key, crate::measured::Measured>| -> Option<Figure> {
        figures.get(of_metric.as_ref()?).map(|measured| measured.figure)
    };
    let (verdict, why) = verdict(judge, &key, change);
    FindingChange {
        url: finding.url.clone(),
        rule: finding.rule.clone(),
        group: finding.group.clone(),
        state: finding.state.clone(),
        summary: finding.summary.clone(),
        counted: first.map(|figure| figure.name.clone()).unwrap_or_default(),
        unit: first.map(|figure| figure.unit.clone()).unwrap_or_default(),
        before: figure(&judge.before.figures),
        after: figure(&judge.after.figures),
        verdict,
        why,
    }
}

fn verdict(judge: &Judge<'_>, key: &FindingKey, change: f64) -> (FindingVerdict, Option<String>) {
    let (was, is) = (judge.before.findings.contains(key), judge.after.findings.contains(key));
    if was && is {
        let verdict = match change {
            change if change > 0.0 => FindingVerdict::Heavier,
            change if change < 0.0 => FindingVerdict::Lighter,
            _ => FindingVerdict::StillThere,
        };
        return (verdict, None);
    }
    let (has, other, when) =
        if is { (judge.after, judge.before, "earlier") } else { (judge.before, judge.after, "later") };
    if has.traced(key) && !other.traced(key) {
        return (FindingVerdict::NotLookedFor, Some(format!("the {when} run traced nothing of {}", key.2)));
    }
    if !other.looked_for(key) {
        let why = format!("the {when} run did not look for it: see its `not_looked_for`");
        return (FindingVerdict::NotLookedFor, Some(why));
    }
    if !other.judged(key) {
        let why = format!("the {when} run could not judge it: see its `not_judged`");
        return (FindingVerdict::NotLookedFor, Some(why));
    }
    let looked: Vec<bool> = judge
        .past
        .iter()
        .filter(|run| run.looked_for(key) && (run.judged(key) || run.findings.contains(key)))
        .map(|run| run.findings.contains(key))
        .collect();
    let turns = looked.windows(2).filter(|pair| pair[0] != pair[1]).count();
    if turns >= TURNS {
        let had = looked.iter().filter(|had| **had).count();
        let why = format!("{had} of {} other runs had it, without a trend", looked.len());
        return (FindingVerdict::ComesAndGoes, Some(why));
    }
    (if is { FindingVerdict::New } else { FindingVerdict::Gone }, None)
}

#[cfg(test)]
mod tests;
