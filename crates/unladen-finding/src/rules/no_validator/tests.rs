use super::*;
use crate::rules::answers::tests::pages::{self, made};
use crate::rules::tests::testing;

#[test]
fn a_page_without_is_found() {
    let found = testing::only(&RULE, &made(&[("cache-control", "max-age=60")], Vec::new()));
    assert_eq!(found.summary, "neither ETag nor Last-Modified, though all 12 answers were the same 14,230 bytes");
    assert!(matches!(&found.takes, Share::NotKnown(why) if why.starts_with("bytes, for clients")));
    assert_eq!(found.fix.lines[0], "ob_start(function ($page) {");
    assert_eq!(found.check_again, "unladen weigh http://127.0.0.1/page");
    let mut file = pages::file();
    file.response.as_mut().unwrap().headers.retain(|(name, _)| name != "etag" && name != "last-modified");
    assert!(testing::only(&RULE, &file).fix.advice.contains("`etag off;`"));
}

#[test]
fn what_has_one_or_could_not_use_it_is_silent() {
    for lines in [("etag", "\"a\""), ("last-modified", "x"), ("set-cookie", "sid="), ("cache-control", "no-store")] {
        testing::silent(&RULE, &made(&[lines], Vec::new()));
    }
    let with = |bytes, answers, changed| {
        let mut evidence = made(&[], Vec::new());
        let response = evidence.response.as_mut().unwrap();
        (response.body_bytes, response.answers, response.changed) = (bytes, answers, changed);
        evidence
    };
    testing::only(&RULE, &with(1_400, 10, 0));
    testing::silent(&RULE, &with(1_399, 10, 0));
    testing::silent(&RULE, &with(1_400, 9, 0));
    testing::silent(&RULE, &with(1_400, 10, 1));
    pages::lean_is_silent(&RULE);
    pages::only_pages(&RULE, &made(&[], Vec::new()));
}
