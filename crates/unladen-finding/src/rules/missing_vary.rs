//! A page that depends on a header of the request and does not say so.

use unladen_trace::{Ask, Evidence, Response, Source, Variant};

use super::{answers, front};
use crate::again;
use crate::cure::Cure;
use crate::finding::{Finding, Item, Share};
use crate::rule::Rule;
use crate::stack::Stack;

/// See `docs/rules/missing-vary.md`.
pub(super) struct MissingVary;

/// Ways of asking, and the header that makes the difference.
const ASKS: [(Ask, &str); 4] = [
    (Ask::Compressed, "Accept-Encoding"),
    (Ask::Language, "Accept-Language"),
    (Ask::Cookie, "Cookie"),
    (Ask::UnknownCookie, "Cookie"),
];

impl Rule for MissingVary {
    fn name(&self) -> &'static str {
        "missing-vary"
    }

    fn about(&self) -> &'static str {
        "the answer depends on a header that Vary does not name"
    }

    fn needs(&self) -> &'static [Source] {
        &[Source::Response]
    }

    fn page(&self) -> &'static str {
        include_str!("../../../../docs/rules/missing-vary.md")
    }

    fn check(&self, evidence: &Evidence) -> Vec<Finding> {
        let Some(response) = answers::page(evidence) else { return Vec::new() };
        let vary = answers::vary(response);
        // No cache keeps the first, and of the second only the client's own, whose cookies are its own.
        let (is_stored, is_shared) = (!answers::says(response, "no-store"), !answers::says(response, "private"));
        let mut found: Vec<(&str, &Variant)> = Vec::new();
        for (ask, header) in ASKS {
            let named = vary.iter().any(|name| name == "*" || name.eq_ignore_ascii_case(header));
            let told = found.iter().any(|(other, _)| *other == header);
            if !is_stored || named || told || header == "Cookie" && !is_shared {
                continue;
            }
            found.extend(
                response.variant(ask).filter(|variant| differs(response, variant)).map(|variant| (header, variant)),
            );
        }
        found.into_iter().map(|(header, variant)| self.one(evidence, response, header, variant)).collect()
    }
}

impl MissingVary {
    fn one(&self, evidence: &Evidence, response: &Response, header: &str, variant: &Variant) -> Finding {
        let cure = cure(evidence, response, header, variant.ask);
        Finding {
            rule: self.name(),
            group: String::new(),
            summary: format!("another answer to `{}`, but Vary does not name {header}", variant.header),
            figures: Vec::new(),
            items: vec![Item { name: header.to_owned(), per_request: 1.0 }],
            share: Share::NotKnown("a cache would give the wrong page, which costs no time".into()),
            check_again: match &cure.file {
                Some(_) => front::again(evidence, &cure, "vary"),
                None => again::weigh(evidence),
            },
            cure,
        }
    }
}

/// Whether it is another answer: packed otherwise, in another language, or with another body.
fn differs(response: &Response, variant: &Variant) -> bool {
    let header = |name| response.header(name) != variant.header(name);
    variant.status == response.status
        && match variant.ask {
            Ask::Compressed => header("content-encoding"),
            Ask::Language => variant.same == Some(false) || header("content-language"),
            _ => variant.same == Some(false),
        }
}

fn cure(evidence: &Evidence, response: &Response, header: &str, ask: Ask) -> Cure {
    match (ask, front::stack(evidence, response)) {
        (Ask::Compressed, Stack::Nginx) => {
            front::nginx("let nginx say that it compresses for some", "vary", vec!["gzip_vary on;".into()])
        }
        (Ask::Compressed, _) => Cure::advice("whatever compresses has to say `Vary: Accept-Encoding`"),
        _ if front::has_php(evidence) => Cure {
            lines: vec![format!("header('Vary: {header}', false);")],
            ..Cure::advice("say it where the page looks at the header; `false` keeps what Vary says already")
        },
        _ => Cure::advice(format!("say `Vary: {header}` where the page looks at the header")),
    }
}

#[cfg(test)]
mod tests;
