//! What a page answers, as evidence: [`answers`].

use unladen_load::{Answers, Ask, Cancel, Driver, Sample, Variation};
use unladen_trace::{Evidence, Missing, Response, Source, Variant};

/// Asks, and puts the answers into the evidence; no answer is a reason in it.
pub(super) fn answers(driver: &mut Driver, url: usize, sample: &Sample, cancel: &Cancel, evidence: &mut Evidence) {
    match driver.inquire(url, sample, cancel) {
        Ok(answers) => {
            evidence.sources.push(Source::Response);
            evidence.response = Some(response(answers));
        }
        Err(error) => evidence.missing.push(Missing {
            source: Source::Response,
            why: format!("the page could not be asked for again: {error}"),
            takes: String::new(),
        }),
    }
}

fn response(answers: Answers) -> Response {
    let Answers { status, headers, body_bytes, answers, changed, personal, variations, left_out: _ } = answers;
    let variants = variations.into_iter().map(variant).collect();
    Response { status, headers, body_bytes, answers, changed, personal, variants }
}

fn variant(variation: Variation) -> Variant {
    let Variation { ask, header, status, headers, body_bytes, same, cost } = variation;
    let ask = match ask {
        Ask::Conditional => unladen_trace::Ask::Conditional,
        Ask::Compressed => unladen_trace::Ask::Compressed,
        Ask::Language => unladen_trace::Ask::Language,
        Ask::Cookie => unladen_trace::Ask::Cookie,
        Ask::UnknownCookie => unladen_trace::Ask::UnknownCookie,
    };
    Variant { ask, header, status, headers, body_bytes, same, cost: cost.map(Into::into) }
}
