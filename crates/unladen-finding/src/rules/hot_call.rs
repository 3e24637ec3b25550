//! A function that one caller calls hundreds of times in a request.

use std::collections::HashMap;

use unladen_trace::{Evidence, EvidenceSource, FunctionSeen};

use crate::finding::{Finding, Rule};
use crate::fix::Fix;
use crate::rules::{clone_storm, profiled};

/// Least calls a request: fewer are no loop over all lists, users or modules.
const LEAST_CALLS: f64 = 300.0;
/// Part of all calls from one caller: callers of a helper, which all the code calls, have nothing in common.
const SAME_CALLER: f64 = 0.5;
/// Least part of the request that is worth a change.
const LEAST_PART: f64 = 0.05;
/// A function below a reported one that has this much of its part is the body of the same loop.
const SAME_WASTE: f64 = 0.6;
/// Callers followed; functions may call each other in a circle.
const DEEPEST: usize = 50;
/// Most findings: a loop shows in each function below it.
const MOST: usize = 3;

pub(super) const RULE: Rule = Rule {
    name: "hot-call",
    about: "a function is called hundreds of times in a request, by the same caller",
    needs: &[EvidenceSource::Profile],
    reads: &[],
    page: include_str!("../../pages/hot-call.md"),
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let Some(profile) = profiled::profile(evidence) else { return Vec::new() };
    let mut hot: Vec<&FunctionSeen> = profile.functions.iter().filter(|function| is_hot(function)).collect();
    hot.sort_by(|a, b| b.all.value.total_cmp(&a.all.value));
    let by_name: HashMap<&str, &FunctionSeen> =
        profile.functions.iter().rev().map(|function| (function.name.as_str(), function)).collect();
    let mut told: Vec<&FunctionSeen> = Vec::new();
    for function in hot {
        let above: Vec<&FunctionSeen> = callers(function, &by_name).collect();
        let is_the_same = |other: &&FunctionSeen| {
            above.iter().any(|one| one.name == other.name) && function.all.value >= other.all.value * SAME_WASTE
        };
        if told.len() < MOST && !told.iter().any(is_the_same) {
            told.push(function);
        }
    }
    told.into_iter()
        .map(|function| {
            let caller = function.callers.first().map_or("its caller", |caller| caller.name.as_str());
            let file = by_name.get(caller).map_or("", |caller| &caller.file);
            let place = if file.is_empty() { String::new() } else { format!(" ({file})") };
            let advice = format!(
                "call it once for all items, or keep its results for the rest of the request: in {caller}{place}, \
                 before the loop"
            );
            profiled::finding(&RULE, evidence, profile, function, Fix::code(evidence, profile.group, &advice))
        })
        .collect()
}

fn callers<'a>(
    function: &'a FunctionSeen,
    by_name: &HashMap<&str, &'a FunctionSeen>,
) -> impl Iterator<Item = &'a FunctionSeen> {
    let caller = |function: &&'a FunctionSeen| by_name.get(function.callers.first()?.name.as_str()).copied();
    std::iter::successors(caller(&function), move |function| caller(function)).take(DEEPEST)
}

/// Opcodes (`CORE:match`) and copying belong to other rules.
fn is_hot(function: &FunctionSeen) -> bool {
    let calls = function.calls.filter(|calls| *calls >= LEAST_CALLS);
    let most = function.callers.first().and_then(|caller| caller.calls);
    function.all.low >= LEAST_PART
        && !function.name.contains("CORE:")
        && !clone_storm::copies(&function.name)
        && calls.zip(most).is_some_and(|(calls, most)| most >= calls * SAME_CALLER)
}

#[cfg(test)]
mod tests;
