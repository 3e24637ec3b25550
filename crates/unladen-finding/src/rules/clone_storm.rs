//! A significant part of the request copies data structures.

use unladen_trace::{Evidence, EvidenceSource};

use crate::finding::{Finding, Rule};
use crate::fix::Fix;
use crate::rules::profiled;

const LEAST_PART: f64 = 0.05;

/// Functions that deep-copy a structure: own names, in lower case.
const COPIES: &[&str] =
    &["clone", "dclone", "deepclone", "deep_clone", "deepcopy", "deep_copy", "dup_var", "clone_var"];

pub(super) const RULE: Rule = Rule {
    name: "clone-storm",
    about: "a large part of a request makes deep copies of data structures",
    needs: &[EvidenceSource::Profile],
    reads: &[],
    page: include_str!("../../pages/clone-storm.md"),
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let Some(profile) = profiled::profile(evidence) else { return Vec::new() };
    let Some(function) = profiled::largest(profile, LEAST_PART, |one| copies(&one.name)) else { return Vec::new() };
    let caller = function.callers.iter().find(|caller| !copies(&caller.name));
    let whose = caller.map_or_else(|| "its caller".to_owned(), |caller| caller.name.clone());
    let advice = format!(
        "hand out the original, and copy only the parts that will be changed: {whose} gets a full copy each time"
    );
    vec![profiled::finding(&RULE, evidence, profile, function, Fix::code(evidence, profile.group, &advice))]
}

pub(super) fn copies(name: &str) -> bool {
    COPIES.contains(&profiled::own_name(name).to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests;
