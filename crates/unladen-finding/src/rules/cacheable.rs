//! A page that is generated each time, with the same result.

use unladen_trace::{Evidence, EvidenceSource};

use crate::finding::{Finding, Rule, Saves, Share};
use crate::rules::{answers, unladen_cache, web_server};
use crate::words;

pub(super) const RULE: Rule = Rule {
    name: "cacheable",
    about: "the same answer is generated for each request, and no cache may keep it",
    needs: &[EvidenceSource::Response],
    reads: &[],
    page: include_str!("../../pages/cacheable.md"),
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    one(evidence).into_iter().collect()
}

fn one(evidence: &Evidence) -> Option<Finding> {
    let response = answers::page(evidence)?;
    let is_kept = answers::is_fresh(response) && answers::forbids(response).is_none();
    if is_kept || answers::is_personal(response) || !answers::is_stable(response) || !answers::is_work(evidence) {
        return None;
    }
    let said: Vec<&str> = response.all("cache-control").collect();
    let why = match said.as_slice() {
        [] => "no header says how long it stays valid".to_owned(),
        said => format!("Cache-Control says {}", said.join(", ")),
    };
    let fix =
        unladen_cache::fix(evidence, response, "declare how long the answer stays valid, for anonymous visitors:");
    let fix = unladen_cache::switched(evidence, response, fix);
    let takes = Share::NearlyAll("how long a cache would take to answer was not measured".into());
    Some(Finding {
        summary: format!(
            "the same {} bytes in all {} answers, generated for each: {why}",
            words::plain(response.body_bytes as f64),
            response.answers
        ),
        saves: Saves::whole(evidence),
        check_again: web_server::again(evidence, &fix),
        ..Finding::of(&RULE, evidence, None, takes, fix)
    })
}

#[cfg(test)]
mod tests;
