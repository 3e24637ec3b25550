//! [`answers`]: a page's answers as evidence.

use unladen_load::{Answers, Ask, Cancel, Driver, Sample, Variation};
use unladen_trace::{Evidence, EvidenceSource, Missing, Response, Unanswered, Variant, without_secrets};

/// Requests the page, and puts the answers into the evidence, or the reason why there is none.
pub(super) fn answers(driver: &mut Driver, url: usize, sample: &Sample, cancel: &Cancel, evidence: &mut Evidence) {
    match driver.inquire(url, sample, cancel) {
        Ok(answers) => {
            evidence.sources.push(EvidenceSource::Response);
            evidence.response = Some(response(answers));
        }
        Err(error) => evidence.missing.push(Missing {
            source: EvidenceSource::Response,
            why: format!("the page could not be requested again: {}", without_secrets(&error.to_string())),
            takes: String::new(),
        }),
    }
}

fn response(answers: Answers) -> Response {
    let Answers { status, headers, body_bytes, answers, changed, personal, variations, left_out } = answers;
    let variants = variations.into_iter().map(variant).collect();
    let unanswered = left_out.into_iter().filter(|left| left.applies);
    let unanswered = unanswered.map(|left| Unanswered { ask: of_trace(left.ask), why: left.why }).collect();
    let headers = told(headers);
    Response { status, headers, body_bytes, answers, changed, personal, variants, unanswered }
}

fn variant(variation: Variation) -> Variant {
    let Variation { ask, header, status, headers, body_bytes, same, cost } = variation;
    let headers = told(headers);
    Variant { ask: of_trace(ask), header, status, headers, body_bytes, same, cost: cost.map(Into::into) }
}

/// Headers without tokens, in names as in URLs, since they are kept. Values of cookies are missing already, and rules
/// read the rest.
fn told(headers: Vec<(String, String)>) -> Vec<(String, String)> {
    let without = |(name, value): (String, String)| {
        if name == "set-cookie" {
            return (name, value);
        }
        let line = without_secrets(&format!("{name}: {value}"));
        let told = line.strip_prefix(&format!("{name}: ")).map(str::to_owned);
        (name, told.unwrap_or(value))
    };
    headers.into_iter().map(without).collect()
}

fn of_trace(ask: Ask) -> unladen_trace::Ask {
    match ask {
        Ask::Conditional => unladen_trace::Ask::Conditional,
        Ask::Compressed => unladen_trace::Ask::Compressed,
        Ask::Language => unladen_trace::Ask::Language,
        Ask::Cookie => unladen_trace::Ask::Cookie,
        Ask::UnknownCookie => unladen_trace::Ask::UnknownCookie,
    }
}

#[cfg(test)]
mod tests;
