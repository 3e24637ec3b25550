use unladen_trace::Variant;

use super::*;
use crate::rules::answers::tests::pages::{self, asked, made};
use crate::rules::tests::testing;

const VARY: (&str, &str) = ("vary", "Accept-Encoding, Cookie");
const SESSION: (&str, &str) = ("set-cookie", "session=…; path=/; HttpOnly");

fn same() -> Variant {
    asked(Ask::UnknownCookie, Some(true), &[])
}

#[test]
fn cookies_that_make_no_difference() {
    let found = testing::only(&RULE, &made(&[VARY], vec![same()]));
    assert_eq!(found.summary, "`Vary: Cookie`, though the page is the same with a cookie that it does not know");
    // Whoever is signed in may get another page, whose privacy hangs on that Vary.
    assert!(found.fix.advice.contains("signed-in visitors were not tried"), "{}", found.fix.advice);
    assert!(found.fix.advice.contains("must stay"), "{}", found.fix.advice);
    let found = testing::only(&RULE, &made(&[SESSION], vec![same(), asked(Ask::Cookie, Some(true), &[])]));
    assert_eq!(
        found.summary,
        "Set-Cookie in answers to visitors without cookies, though the page is the same with the cookies that it sets"
    );
    let found = testing::only(&RULE, &made(&[VARY, SESSION], vec![same(), asked(Ask::Cookie, Some(true), &[SESSION])]));
    assert_eq!(
        found.summary,
        "`Vary: Cookie`, and Set-Cookie in each answer, though the page is the same with the cookies that it sets"
    );
    assert_eq!(found.items[0].name, "Set-Cookie: session");
    assert!(found.fix.advice.contains("session_start()"));
    assert!(matches!(&found.takes, Share::NotKnown(_)));
    assert_eq!(found.check_again, "unladen weigh http://127.0.0.1/page");
}

#[test]
fn vary_that_nothing_matches() {
    let found = testing::only(&RULE, &made(&[("vary", "User-Agent, Accept-Encoding")], Vec::new()));
    assert_eq!(found.summary, "`Vary: User-Agent`: caches must keep a copy for each version of each browser");
    let found = testing::only(&RULE, &made(&[("vary", "*")], Vec::new()));
    assert_eq!(found.summary, "`Vary: *`: no cache may use the answer a second time");
    assert_eq!(found.fix.advice, "name the headers that the page reads, instead of `*`");
}

#[test]
fn cookies_that_do_and_pages_of_one_are_silent() {
    testing::silent(&RULE, &made(&[VARY], Vec::new()));
    testing::silent(&RULE, &made(&[VARY], vec![Variant { same: None, ..same() }]));
    testing::silent(&RULE, &made(&[VARY, SESSION], vec![same(), asked(Ask::Cookie, Some(false), &[])]));
    testing::silent(&RULE, &made(&[VARY, ("cache-control", "private")], vec![same()]));
    testing::silent(&RULE, &made(&[("vary", "*"), ("cache-control", "no-store")], vec![same()]));
    testing::silent(&RULE, &made(&[("vary", "Accept-Encoding")], vec![same()]));
    let mut personal = made(&[VARY], vec![same()]);
    personal.response.as_mut().unwrap().personal = true;
    testing::silent(&RULE, &personal);
    pages::lean_is_silent(&RULE);
    pages::only_pages(&RULE, &made(&[VARY], vec![same()]));
}
