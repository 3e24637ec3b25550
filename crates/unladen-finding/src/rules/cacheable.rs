//! A page that is made anew each time, and is the same each time.

use unladen_trace::{Evidence, Response, Source};

use super::{answers, front};
use crate::finding::{Finding, Share};
use crate::rule::Rule;
use crate::words;

/// See `docs/rules/cacheable.md`.
pub(super) struct Cacheable;

impl Rule for Cacheable {
    fn name(&self) -> &'static str {
        "cacheable"
    }

    fn about(&self) -> &'static str {
        "the same answer is made for each request, and no cache may keep it"
    }

    fn needs(&self) -> &'static [Source] {
        &[Source::Response]
    }

    fn page(&self) -> &'static str {
        include_str!("../../../../docs/rules/cacheable.md")
    }

    fn check(&self, evidence: &Evidence) -> Vec<Finding> {
        self.one(evidence).into_iter().collect()
    }
}

impl Cacheable {
    fn one(&self, evidence: &Evidence) -> Option<Finding> {
        let response = answers::page(evidence)?;
        let is_kept = answers::is_fresh(response) && said_no(response).is_none();
        if is_kept || answers::is_personal(response) || !answers::is_stable(response) || !answers::is_work(evidence) {
            return None;
        }
        let said: Vec<&str> = response.all("cache-control").collect();
        let why = match said.as_slice() {
            [] => "nothing says for how long it is good".to_owned(),
            said => format!("Cache-Control says {}", said.join(", ")),
        };
        let care = match said_no(response) {
            Some(_) => " (but if that is meant, leave it; many frameworks, and PHP's sessions, say it by themselves)",
            None => "",
        };
        let forbids = said_no(response).is_some();
        let advice = format!("say for how long the answer is good: {}{care}.", answers::say_fresh(evidence));
        let cure = answers::cache(evidence, &advice, forbids);
        Some(Finding {
            rule: self.name(),
            group: String::new(),
            summary: format!(
                "the same {} bytes in all {} answers, made anew for each: {why}",
                words::plain(response.body_bytes as f64),
                response.answers
            ),
            figures: Vec::new(),
            items: Vec::new(),
            share: Share::NearlyAll("what a cache takes to answer was not measured".into()),
            check_again: front::again(evidence, &cure, "cache"),
            cure,
        })
    }
}

/// What of `Cache-Control` keeps caches in front from answering by themselves.
fn said_no(response: &Response) -> Option<&'static str> {
    ["no-store", "private", "no-cache"].into_iter().find(|directive| answers::says(response, directive))
}

#[cfg(test)]
mod tests;
