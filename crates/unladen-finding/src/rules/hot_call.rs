//! A function called hundreds of times in a request, by the same caller.

use unladen_trace::{Evidence, FunctionSeen, Source};

use crate::cure::Cure;
use crate::finding::Finding;
use crate::rule::Rule;

use super::profiled;

/// Calls a request: what is called less often is no loop over all lists, users or modules.
const LEAST_CALLS: f64 = 300.0;
/// The part of all calls that one caller makes: what all the code calls is a helper, and its callers have nothing in common.
const SAME_CALLER: f64 = 0.5;
/// The part of the request: what takes less is not worth a change.
const LEAST_PART: f64 = 0.05;
/// Findings at most: a loop shows in each function below it.
const MOST: usize = 3;

/// See `docs/rules/hot-call.md`.
pub(super) struct HotCall;

impl Rule for HotCall {
    fn name(&self) -> &'static str {
        "hot-call"
    }

    fn about(&self) -> &'static str {
        "a function is called hundreds of times in a request, by the same caller"
    }

    fn needs(&self) -> &'static [Source] {
        &[Source::Profile]
    }

    fn page(&self) -> &'static str {
        include_str!("../../../../docs/rules/hot-call.md")
    }

    fn check(&self, evidence: &Evidence) -> Vec<Finding> {
        let Some(profile) = profiled::profile(evidence) else { return Vec::new() };
        let mut hot: Vec<&FunctionSeen> = profile.functions.iter().filter(|function| is_hot(function)).collect();
        hot.sort_by(|a, b| b.all.value.total_cmp(&a.all.value));
        // What is called by a function that is told already is a part of the same waste.
        let mut told: Vec<&FunctionSeen> = Vec::new();
        for function in hot {
            let is_below = |other: &&FunctionSeen| function.callers.first().is_some_and(|one| one.name == other.name);
            if told.len() < MOST && !told.iter().any(is_below) {
                told.push(function);
            }
        }
        told.into_iter()
            .map(|function| {
                let caller = function.callers.first().map_or("its caller", |caller| &caller.name);
                let advice = format!(
                    "call it once for all, or keep its answers for the rest of the request: in {caller}, before the loop"
                );
                profiled::finding(self, evidence, profile, function, Cure::advice(advice))
            })
            .collect()
    }
}

/// Opcodes (`CORE:match`) are the business of other rules.
fn is_hot(function: &FunctionSeen) -> bool {
    let calls = function.calls.filter(|calls| *calls >= LEAST_CALLS);
    let most = function.callers.first().and_then(|caller| caller.calls);
    function.all.low >= LEAST_PART
        && !function.name.contains("CORE:")
        && calls.zip(most).is_some_and(|(calls, most)| most >= calls * SAME_CALLER)
}

#[cfg(test)]
mod tests;
