use proptest::prelude::*;

use super::*;
use crate::tests::testing::{NOW, fields, later, lines_of, policy, seconds};

fn reused(request: &str, response: &str, after: i64) -> (Reuse, bool) {
    let control = RequestControl::of(&fields(&[&format!("Cache-Control: {request}")]));
    let said = fields(&[&format!("Cache-Control: {response}")]);
    let freshness = Freshness::of(200, &said, NOW, NOW, &policy());
    (reuse(&control, &freshness, later(after)), may_serve_on_error(&control, &freshness, later(after)))
}

// RFC 9111, sections 4, 4.2.4 and 5.2; RFC 5861; RFC 8246
#[test]
fn reuse_and_errors() {
    use Reuse::{Fresh, Validate, WhileRevalidate};
    use WhyValidate::{NoCache, Request, Stale};
    let table = [
        ("", "max-age=10", 9, Fresh, true),
        ("", "max-age=10", 10, Validate(Stale), false),
        ("", "max-age=10, no-cache", 0, Validate(NoCache), false),
        ("no-cache", "max-age=10", 0, Validate(Request), false),
        ("no-cache", "max-age=10, immutable", 0, Validate(Request), false),
        ("max-age=0", "max-age=10", 0, Validate(Request), true),
        ("max-age=0", "max-age=10, immutable", 5, Fresh, true),
        ("max-age=0", "max-age=10, immutable", 10, Validate(Request), false),
        ("max-age=5", "max-age=10", 5, Fresh, true),
        ("max-age=5", "max-age=10", 6, Validate(Request), true),
        ("min-fresh=5", "max-age=10", 5, Fresh, true),
        ("min-fresh=5", "max-age=10", 6, Validate(Request), true),
        ("max-stale", "max-age=10", 1000, Reuse::MaxStale, true),
        ("max-stale=5", "max-age=10", 15, Reuse::MaxStale, true),
        ("max-stale=5", "max-age=10", 16, Validate(Stale), false),
        ("max-stale", "max-age=10, must-revalidate", 11, Validate(Stale), false),
        ("max-stale", "max-age=10, proxy-revalidate", 11, Validate(Stale), false),
        ("max-stale", "s-maxage=10", 11, Validate(Stale), false),
        ("", "max-age=10, stale-while-revalidate=5", 15, WhileRevalidate, true),
        ("", "max-age=10, stale-while-revalidate=5", 16, Validate(Stale), false),
        ("max-age=60", "max-age=10, stale-while-revalidate=5", 11, Validate(Stale), true),
        ("", "max-age=10, must-revalidate, stale-while-revalidate=5", 11, Validate(Stale), false),
        ("", "max-age=10, stale-if-error=5", 15, Validate(Stale), true),
        ("", "max-age=10, stale-if-error=5", 16, Validate(Stale), false),
        ("stale-if-error=5", "max-age=10", 15, Validate(Stale), true),
        ("stale-if-error=5", "max-age=10, must-revalidate", 15, Validate(Stale), false),
        ("", "max-age=10, stale-if-error=0", 10, Validate(Stale), false),
    ];
    for (request, response, after, reuse, on_error) in table {
        assert_eq!(reused(request, response, after), (reuse, on_error), "{request} | {response} after {after}");
    }
}

proptest! {
    #[test]
    fn what_forbids_stale_use_is_heeded(
        max_stale in 0_u64..100, allowed in 0_u64..100, after in 0_i64..200, on_error in 0_u64..100, forbids in any::<[bool; 2]>(),
    ) {
        let control = RequestControl {
            max_stale: Some(MaxStale::For(seconds(max_stale))),
            stale_if_error: Some(seconds(on_error)),
            ..RequestControl::default()
        };
        let mut freshness = Freshness::of(200, &fields(&["Cache-Control: max-age=50"]), NOW, NOW, &policy());
        [freshness.no_cache, freshness.must_revalidate] = forbids;
        freshness.stale_while_revalidate = seconds(allowed);
        let reuse = reuse(&control, &freshness, later(after));
        let serves = may_serve_on_error(&control, &freshness, later(after));
        if !freshness.is_fresh(later(after)) {
            prop_assert!(reuse != Reuse::Fresh);
            if forbids.contains(&true) {
                prop_assert!(matches!(reuse, Reuse::Validate(_)) && !serves);
            }
        }
        // what answers without asking answers as well when asking fails
        prop_assert!(matches!(reuse, Reuse::Validate(_)) || serves);
    }
}

// RFC 9111, section 4.3.1
#[test]
fn a_question_about_what_is_stored() {
    let client = [
        "A: 1",
        "If-None-Match: \"x\"",
        "If-Modified-Since: x",
        "If-Match: \"x\"",
        "If-Unmodified-Since: x",
        "if-range: x",
        "Range: bytes=0-1",
    ];
    let asked = |validators: &Validators| {
        let mut fields = fields(&client);
        make_conditional(&mut fields, validators);
        lines_of(&fields)
    };
    assert_eq!(asked(&Validators::default()), ["A: 1"]);
    let both = Validators { etag: Some(Box::from(&b"W/\"a\""[..])), modified: Some(NOW), date: None };
    assert_eq!(asked(&both), ["A: 1", "If-None-Match: W/\"a\"", "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT"]);
}

// RFC 9111, section 3.2
#[test]
fn what_a_304_changes() {
    let stored = fields(&[
        "Date: old",
        "A: 1",
        "B: 1",
        "b: 2",
        "ETag: \"a\"",
        "Content-Type: text/plain",
        "Content-Encoding: gzip",
        "Content-MD5: x",
        "Cache-Control: max-age=2",
        "Age: 1",
    ]);
    let by = fields(&[
        "Date: new",
        "B: 3",
        "C: 4",
        "ETag: \"b\"",
        "Content-Type: text/html",
        "Content-Encoding: br",
        "Content-Length: 0",
        "Content-Range: x",
        "Content-MD5: y",
        "Set-Cookie: a=b",
        "Connection: close, A",
        "A: 2",
        "Keep-Alive: x",
        "Proxy-Authenticate: x",
        "Age: 7",
    ]);
    let updated = [
        "ETag: \"a\"",
        "Content-Encoding: gzip",
        "Content-MD5: x",
        "Cache-Control: max-age=2",
        "Date: new",
        "B: 3",
        "C: 4",
        "Content-Type: text/html",
        "Age: 7",
    ];
    assert_eq!(lines_of(&update(&stored, &by)), [&["A: 1"], &updated[..]].concat());
}

#[test]
fn a_304_without_a_date_does_not_make_it_old() {
    let updated = update(&fields(&["Date: old", "Age: 1", "A: 1"]), &Fields::default());
    assert_eq!(lines_of(&updated), ["A: 1"]);
}
