//! A page that depends on a request header not listed in `Vary`.

use unladen_trace::{Ask, Evidence, EvidenceSource, Response, Variant};

use crate::finding::{Finding, Item, Rule, Share};
use crate::fix::Fix;
use crate::rules::{answers, web_server};
use crate::stack::Stack;

const ASKS: [(Ask, &str); 4] = [
    (Ask::Compressed, "Accept-Encoding"),
    (Ask::Language, "Accept-Language"),
    (Ask::Cookie, "Cookie"),
    (Ask::UnknownCookie, "Cookie"),
];

pub(super) const RULE: Rule = Rule {
    name: "missing-vary",
    about: "the answer depends on a header that Vary does not name",
    needs: &[EvidenceSource::Response],
    reads: &[],
    page: include_str!("../../pages/missing-vary.md"),
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let Some(response) = answers::page(evidence) else { return Vec::new() };
    // No cache stores `no-store`, and `private` only the client's own cache, whose cookies do not vary.
    let (is_stored, is_shared) = (!answers::says(response, "no-store"), !answers::says(response, "private"));
    let found = missing(response).into_iter().filter(|(header, _)| is_stored && (*header != "Cookie" || is_shared));
    found.map(|(header, variant)| one(evidence, response, header, variant)).collect()
}

/// Headers on which the response depends and which `Vary` does not list; each with the response that shows it.
pub(super) fn missing(response: &Response) -> Vec<(&'static str, &Variant)> {
    let vary = answers::vary(response);
    let mut found: Vec<(&str, &Variant)> = Vec::new();
    for (ask, header) in ASKS {
        let is_named = vary.iter().any(|name| name == "*" || name.eq_ignore_ascii_case(header));
        let is_told = found.iter().any(|(other, _)| *other == header);
        if let Some(variant) =
            response.variant(ask).filter(|variant| !is_named && !is_told && differs(response, variant))
        {
            found.push((header, variant));
        }
    }
    found
}

fn one(evidence: &Evidence, response: &Response, header: &str, variant: &Variant) -> Finding {
    let mut fix = web_server::switched(evidence, fix(evidence, response, header, variant.ask), "vary");
    if let Some(knob) = &mut fix.knob {
        knob.changes = vec!["Vary".into()];
    }
    let takes = Share::NotKnown("a cache would serve the wrong page; this costs no time".into());
    Finding {
        summary: format!("the answer differs for `{}`, but Vary does not name {header}", variant.header),
        items: vec![Item { name: header.to_owned(), per_request: 1.0 }],
        ..Finding::of(&RULE, evidence, None, takes, fix)
    }
}

fn differs(response: &Response, variant: &Variant) -> bool {
    let header = |name| response.header(name) != variant.header(name);
    variant.status == response.status
        && match variant.ask {
            Ask::Compressed => header("content-encoding"),
            Ask::Language => variant.same == Some(false) || header("content-language"),
            _ => variant.same == Some(false),
        }
}

fn fix(evidence: &Evidence, response: &Response, header: &str, ask: Ask) -> Fix {
    match (ask, web_server::stack(evidence, response)) {
        (Ask::Compressed, Stack::Nginx) => {
            let nginx = web_server::busiest(evidence, Stack::Nginx);
            web_server::nginx(
                evidence,
                nginx,
                "let nginx declare that its answers vary by compression",
                "vary",
                vec!["gzip_vary on;".into()],
            )
        }
        (Ask::Compressed, _) => Fix::advice("the component that compresses has to send `Vary: Accept-Encoding`"),
        _ if web_server::has_php(evidence) => Fix {
            lines: vec![format!("header('Vary: {header}', false);")],
            group: web_server::busiest(evidence, Stack::Php),
            ..Fix::advice("send it where the page reads the header; `false` keeps existing Vary headers")
        },
        _ => Fix::advice(format!("send `Vary: {header}` where the page reads the header")),
    }
}

#[cfg(test)]
mod tests;
