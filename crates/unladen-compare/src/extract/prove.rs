//! `unladen.prove/1`: the effect of each change, and the figures of the arms.

use unladen_document::{Comparison, ProveDocument};

use crate::key::{Key, kind_of};
use crate::measured::Measured;
use crate::row::Kind;

pub(super) fn figures(document: &ProveDocument) -> Vec<(Key, Measured)> {
    let judged = document.comparisons.iter().filter(|comparison| is_judged(&comparison.metric));
    judged.flat_map(|comparison| effect(comparison).into_iter().chain(own(comparison))).collect()
}

/// More answers with an error's status are worse; with others, more is neither better nor worse.
fn is_judged(metric: &str) -> bool {
    metric.strip_prefix("statuses.").is_none_or(|status| status.starts_with(['4', '5']))
}

/// Candidate / baseline, both of which contain the machine's speed.
fn effect(comparison: &Comparison) -> Option<(Key, Measured)> {
    let (ratio, low, high) = (comparison.ratio?, comparison.low?, comparison.high?);
    let key = Key::new(Kind::Effect, "", format!("effect.{}", comparison.metric), "1");
    let is_headline = comparison.metric == "latency.p50";
    Some((with_names(key, comparison), Measured { headline: is_headline, ..Measured::spanned(ratio, low, high) }))
}

fn own(comparison: &Comparison) -> Option<(Key, Measured)> {
    let (value, low, high) = (comparison.candidate?, comparison.candidate_low?, comparison.candidate_high?);
    let key = Key::new(kind_of(&comparison.metric), "", comparison.metric.clone(), &comparison.unit);
    let measured = Measured::spanned(value, low, high);
    let approximate = comparison.approximate.unwrap_or(false);
    Some((with_names(key, comparison), Measured { approximate, ..measured }))
}

fn with_names(key: Key, comparison: &Comparison) -> Key {
    Key {
        arm: Some(comparison.arm.clone()),
        group: comparison.group.clone(),
        counter: comparison.counter.clone(),
        ..key
    }
}
