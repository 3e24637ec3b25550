//! A page that clients cannot revalidate.

use unladen_trace::{Evidence, EvidenceSource};

use crate::finding::{Finding, Rule, Share};
use crate::fix::Fix;
use crate::rules::answers::{self, LEAST_BYTES};
use crate::rules::web_server;
use crate::stack::Stack;
use crate::words;

pub(super) const RULE: Rule = Rule {
    name: "no-validator",
    about: "a page that does not change has neither ETag nor Last-Modified",
    needs: &[EvidenceSource::Response],
    reads: &[],
    page: include_str!("../../pages/no-validator.md"),
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    one(evidence).into_iter().collect()
}

fn one(evidence: &Evidence) -> Option<Finding> {
    let response = answers::page(evidence)?;
    let has = |name| response.header(name).is_some();
    let may_be_kept = !answers::is_personal(response) && !answers::says(response, "no-store");
    if has("etag") || has("last-modified") || !may_be_kept || !answers::is_stable(response) {
        return None;
    }
    if response.body_bytes < LEAST_BYTES {
        return None;
    }
    let takes = Share::NotKnown("bytes, for clients that already have the page; how many do is not known".into());
    Some(Finding {
        summary: format!(
            "neither ETag nor Last-Modified, though all {} answers were the same {} bytes",
            response.answers,
            words::plain(response.body_bytes as f64)
        ),
        ..Finding::of(
            &RULE,
            evidence,
            None,
            takes,
            match (web_server::has_php(evidence), web_server::stack(evidence, response)) {
                (true, _) => php().of(web_server::busiest(evidence, Stack::Php)),
                (false, Stack::Apache) => Fix::advice(
                    "send an ETag derived from the page's inputs, and answer 304 to it; for files, `FileETag MTime \
                     Size`",
                ),
                _ => Fix::advice(
                    "send an ETag derived from the page's inputs (a version, a modification time), and answer 304 to \
                 it before the page is generated; for files, nginx does so by itself unless `etag off;` is set",
                ),
            },
        )
    })
}

fn php() -> Fix {
    let lines = [
        "ob_start(function ($page) {",
        "    $tag = '\"' . hash('xxh128', $page) . '\"';",
        "    header(\"ETag: $tag\");",
        "    if (http_response_code() !== 200 || !str_contains($_SERVER['HTTP_IF_NONE_MATCH'] ?? '', $tag)) {",
        "        return $page;",
        "    }",
        "    http_response_code(304);",
        "    return '';",
        "});",
    ];
    Fix {
        lines: lines.map(Into::into).to_vec(),
        ..Fix::advice(
            "send a validator: a hash of the page, with these lines before any output, saves its bytes; to save the \
             work too, derive the ETag from a version or a modification time, and compare it before the page is \
             generated",
        )
    }
}

#[cfg(test)]
mod tests;
