//! A significant part of the request searches for class files.

use unladen_trace::{Evidence, EvidenceSource};

use crate::again;
use crate::finding::{Figure, Finding, Rule};
use crate::fix::Fix;
use crate::rules::profiled;
use crate::words::percent;

/// Least part of the request: a complete map takes less (MediaWiki's with its class map 3.6 %, before it 8.8 %).
const LEAST_PART: f64 = 0.03;
/// Least part of a function to be named.
const LEAST_NAMED: f64 = 0.005;

pub(super) const RULE: Rule = Rule {
    name: "autoload-share",
    about: "a large part of a request searches for class files",
    needs: &[EvidenceSource::Profile],
    reads: &[],
    page: include_str!("../../pages/autoload-share.md"),
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let Some(profile) = profiled::profile(evidence) else { return Vec::new() };
    let Some(part) = profile.lookups.filter(|part| part.low >= LEAST_PART) else { return Vec::new() };
    let is_lookup = |name: &str| name.to_ascii_lowercase().contains("autoload") || name.contains("ClassLoader::");
    let lookups = profile.functions.iter().filter(|one| is_lookup(&one.name) && one.own.value >= LEAST_NAMED);
    let most = lookups.max_by(|a, b| a.own.value.total_cmp(&b.own.value));
    let most = most.map(|one| format!(", {:.1} % in {}", one.own.value * 100.0, one.name)).unwrap_or_default();
    let takes = profiled::share(profile, part);
    vec![Finding {
summary: format!("searching for class files takes {} of a request{most}", percent(part)),
figures: vec![Figure { name: "lookups_share", unit: "1", value: part }],
check_again: format!("unladen profile diff BEFORE.profile.json AFTER.profile.json, or {}", again_url(evidence)),
..Finding::of(&RULE, evidence, Some(profile.group), takes, Fix::advice(
            "use a map of all classes, which needs no search: `unladen classmap` writes it and prints how to switch \
             it on",
        )
        .command("unladen classmap DIR # the application's folder"))
}]
}

fn again_url(evidence: &Evidence) -> String {
    if evidence.page.url.is_empty() { "unladen profile URL".into() } else { again::profile(evidence) }
}

#[cfg(test)]
mod tests;
