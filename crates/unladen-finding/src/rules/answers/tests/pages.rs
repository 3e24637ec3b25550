//! Pages for the tests of the rules about answers.

use unladen_trace::{Ask, Variant};

use crate::rules::answers::*;
use crate::rules::tests::testing;

pub(crate) fn headers(lines: &[(&str, &str)]) -> Vec<(String, String)> {
    lines.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// A page of PHP behind nginx, 20 ms, 12 answers of 14,230 bytes.
pub(crate) fn made(lines: &[(&str, &str)], variants: Vec<Variant>) -> Evidence {
    let response = Response {
        status: 200,
        headers: [headers(&[("server", "nginx"), ("content-type", "text/html; charset=utf-8")]), headers(lines)]
            .concat(),
        body_bytes: 14_230,
        answers: 12,
        variants,
        ..Response::default()
    };
    Evidence { response: Some(response), ..testing::lean() }
}

/// The same page asked for otherwise, and whether it was the same.
pub(crate) fn asked(ask: Ask, same: Option<bool>, lines: &[(&str, &str)]) -> Variant {
    Variant { ask, status: 200, headers: headers(lines), body_bytes: 14_230, same, ..Variant::default() }
}

/// A file that nginx sends, in 0.3 ms, with all that it needs.
pub(crate) fn file() -> Evidence {
    let lines =
        [("etag", "\"65f-1\""), ("last-modified", "Sun, 06 Nov 1994 08:49:37 GMT"), ("vary", "Accept-Encoding")];
    let gzip = asked(Ask::Compressed, Some(true), &[("content-encoding", "gzip")]);
    let conditional = Variant {
        status: 304,
        body_bytes: 0,
        cost: Some(testing::around(0.97, 0.02)),
        ..asked(Ask::Conditional, None, &lines)
    };
    let asks = [Ask::Language, Ask::UnknownCookie].map(|ask| asked(ask, Some(true), &lines));
    let mut evidence = made(&lines, [vec![conditional, gzip], asks.to_vec()].concat());
    evidence.page.latency = Some(testing::around(300e3, 10e3));
    evidence.groups.remove(0);
    evidence
}

/// What every rule about answers keeps silent about.
pub(crate) fn lean_is_silent(rule: &crate::finding::Rule) {
    testing::silent(rule, &Evidence::default());
    testing::silent(rule, &testing::lean());
    testing::silent(rule, &file());
}

/// A rule keeps silent about a page's answers to POST, about errors, and about fresh processes.
pub(crate) fn only_pages(rule: &crate::finding::Rule, found: &Evidence) {
    testing::only(rule, found);
    testing::silent(rule, &Evidence { state: State::Fresh, ..found.clone() });
    let mut post = found.clone();
    post.page.method = "POST".into();
    testing::silent(rule, &post);
    let mut error = found.clone();
    error.response.as_mut().unwrap().status = 404;
    testing::silent(rule, &error);
}
