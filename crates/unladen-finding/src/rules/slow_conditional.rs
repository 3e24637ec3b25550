//! A page whose 304 takes as long as the page.

use unladen_trace::{Ask, Evidence, EvidenceSource, Response, Variant};

use crate::finding::{Figure, Finding, Rule, Share};
use crate::fix::Fix;
use crate::rules::{answers, unladen_cache, web_server};
use crate::words::count;

/// From this part of a full answer on, 304 saves bytes and not work.
const LEAST_COST: f64 = 0.5;

pub(super) const RULE: Rule = Rule {
    name: "slow-conditional",
    about: "a 304 answer takes as long as the full page",
    needs: &[EvidenceSource::Response],
    reads: &[],
    page: include_str!("../../pages/slow-conditional.md"),
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    one(evidence).into_iter().collect()
}

fn one(evidence: &Evidence) -> Option<Finding> {
    let response = answers::page(evidence)?;
    let conditional = response.variant(Ask::Conditional)?;
    let (summary, figures, fix) = match conditional.status {
        304 => {
            let cost = conditional.cost.filter(|cost| cost.low >= LEAST_COST && answers::is_work(evidence))?;
            (
                format!("304 to its own validators takes {} % of a full answer", count(cost.scaled(100.0))),
                vec![Figure { name: "conditional_cost", unit: "1", value: cost }],
                slow(evidence, response),
            )
        }
        200 => (ignored(response, conditional)?, Vec::new(), honour()),
        _ => return None,
    };
    let fix = unladen_cache::switched(evidence, response, fix);
    let takes = Share::NotKnown("only requests with validators gain; how many there are is not known".into());
    Some(Finding {
        summary,
        figures,
        check_again: web_server::again(evidence, &fix),
        ..Finding::of(&RULE, evidence, None, takes, fix)
    })
}

/// Why 200 is wrong, if the page is the same.
fn ignored(response: &Response, conditional: &Variant) -> Option<String> {
    if response.changed > 0 || conditional.same == Some(false) {
        return None;
    }
    let validator = |name| Some((response.header(name)?, conditional.header(name)?));
    match (validator("etag"), validator("last-modified")) {
        (Some((before, after)), _) if weak(before) != weak(after) => {
            Some("its ETag changes although the body stays the same, so no request with it is answered with 304".into())
        }
        (Some(_), _) => Some("200 to its own unchanged ETag: the page sends it but does not check it".into()),
        // A later date means that the page was regenerated, and says so.
        (None, Some((before, after))) if before == after => {
            Some("200 to its own unchanged Last-Modified: the page sends it but does not check it".into())
        }
        _ => None,
    }
}

/// Validators of requests are compared weakly (RFC 9110, 13.1.2).
fn weak(etag: &str) -> &str {
    etag.trim().trim_start_matches("W/")
}

fn slow(evidence: &Evidence, response: &Response) -> Fix {
    const EARLIER: &str = "compute the validator before the page is generated: keep its inputs (a version, a \
                           modification time) where one cheap query finds them, and answer 304 before anything else \
                           is loaded";
    if answers::is_personal(response) || !answers::is_stable(response) || answers::forbids(response).is_some() {
        return Fix::advice(EARLIER);
    }
    unladen_cache::fix(evidence, response, &format!("{EARLIER}. Or"))
}

fn honour() -> Fix {
    Fix::advice(
        "compare If-None-Match with the ETag (without W/, and each of a list), else If-Modified-Since with \
         Last-Modified, and answer 304 without a body; derive the ETag only from the content, so that it is the same \
         on all servers",
    )
}

#[cfg(test)]
mod tests;
