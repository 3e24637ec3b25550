use proptest::prelude::*;

use super::*;
use crate::tests::testing::{NOW, fields, later, policy, seconds, value};

fn of(status: u16, lines: &[&str]) -> Freshness {
    Freshness::of(status, &fields(lines), NOW, NOW, &policy())
}

fn line(name: &str, at: i64) -> String {
    format!("{name}: {}", later(at).http_date())
}

// RFC 9111, section 4.2.1
#[test]
fn lifetimes_in_their_order() {
    let (date, future, past) = (line("Date", 0), line("Expires", 500), line("Expires", -500));
    let lifetime = |lines: &[&str]| of(200, lines).lifetime;
    assert_eq!(lifetime(&[&date, &future, "Cache-Control: max-age=5, s-maxage=9"]), seconds(9));
    assert_eq!(lifetime(&[&date, &past, "Cache-Control: max-age=5"]), seconds(5));
    assert_eq!(lifetime(&[&date, &future, "Cache-Control: max-age=0"]), seconds(0));
    assert_eq!(lifetime(&[&date, &future]), seconds(500));
    assert_eq!(lifetime(&[&date, &past]), seconds(0));
    assert_eq!(lifetime(&[&line("Date", 600), &future]), seconds(0));
    assert_eq!(lifetime(&[&line("Date", -100), &future]), seconds(600));
    assert_eq!(lifetime(&["Date: foo", &future]), seconds(500));
    assert_eq!(lifetime(&[&date, "Expires: 0"]), seconds(0));
    assert_eq!(lifetime(&[&date, &future, "CDN-Cache-Control: public"]), seconds(0));
    assert!(!of(200, &[&date, &line("Expires", 0)]).is_fresh(NOW));
}

// RFC 9111, section 4.2.2
#[test]
fn lifetimes_that_are_guessed() {
    let longest = |status, said| if status >= 300 { policy().error_max } else { seconds(said) };
    let (date, modified) = (line("Date", 0), line("Last-Modified", -10_000));
    for status in [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501] {
        let guessed = of(status, &[&date, &modified]);
        assert_eq!((guessed.lifetime, guessed.heuristic), (longest(status, 1000), true), "{status}");
    }
    for status in [201, 202, 302, 307, 403, 500, 502, 503, 504, 599] {
        assert_eq!(of(status, &[&date, &modified]).lifetime, seconds(0), "{status}");
        let public = of(status, &[&date, &modified, "Cache-Control: public"]).lifetime;
        assert_eq!(public, longest(status, 1000), "{status}");
    }
    assert!(!of(200, &[&date, &modified, "Cache-Control: max-age=0"]).heuristic);
    assert_eq!(of(200, &[&date, &line("Last-Modified", 10)]).lifetime, seconds(0));
    assert_eq!(of(200, &["Last-Modified: Thu, 01 Jan 1970 00:00:00 GMT"]).lifetime, policy().heuristic_max);
    for share in [f64::NAN, f64::INFINITY, -1.0] {
        let policy = Policy { heuristic_share: share, ..policy() };
        let guessed = Freshness::of(200, &fields(&[&date, &modified]), NOW, NOW, &policy);
        assert_eq!(guessed.lifetime, seconds(0), "{share}");
    }
}

#[test]
fn an_error_that_passes_is_short_lived_whatever_it_says() {
    for status in 400..600 {
        let said = ["Cache-Control: max-age=3600, stale-if-error=60, stale-while-revalidate=60"];
        let of = of(status, &said);
        if matches!(status, 404 | 410) {
            assert_eq!((of.lifetime, of.stale_if_error), (seconds(3600), seconds(60)), "{status}");
        } else {
            assert_eq!(
                (of.lifetime, of.stale_if_error, of.stale_while_revalidate),
                (seconds(10), seconds(0), seconds(0))
            );
        }
    }
    assert_eq!(of(503, &["Cache-Control: max-age=2"]).lifetime, seconds(2));
}

// RFC 9111, sections 4.2.3 and 5.1
#[test]
fn ages() {
    let age = |lines: &[&str]| Freshness::of(200, &fields(lines), later(-3), NOW, &policy()).initial_age;
    assert_eq!(age(&[]), seconds(3));
    assert_eq!(age(&["Age: 30"]), seconds(33));
    assert_eq!(age(&["Age: 30", &line("Date", -100)]), seconds(100));
    assert_eq!(age(&["Age: 30", &line("Date", 100)]), seconds(33));
    assert_eq!(age(&["Age: 99999999999999999999999"]), LONGEST);
    let not_valid: [&[&str]; 9] = [
        &["Age: abc"],
        &["Age: -7200"],
        &["Age: 7200.0"],
        &["Age: 7200,0"],
        &["Age: 0, 0"],
        &["Age: 0", "Age: 0"],
        &["Age: 0", "Age: 7200"],
        &["Age: 7200;foo=bar"],
        &["Age:"],
    ];
    for lines in not_valid {
        assert_eq!(age(lines), LONGEST, "{lines:?}");
        let response = [lines, &["Cache-Control: max-age=99999999999"]].concat();
        assert!(!of(200, &response).is_fresh(NOW), "{lines:?}");
    }
}

#[test]
fn who_may_have_it_with_cookies() {
    let shared = |lines: &[&str]| of(200, lines).shared_with_cookies;
    let (date, modified) = (line("Date", 0), line("Last-Modified", -10_000));
    assert!(shared(&["Cache-Control: s-maxage=1"]) && shared(&["CDN-Cache-Control: max-age=1"]));
    assert!(shared(&["Vary: accept, COOKIE"]) && shared(&["CDN-Cache-Control: public"]));
    // What is said to browsers too says nothing of who is logged in, unless whoever runs this has said that it does.
    let open = Policy { share_with_cookies: true, ..policy() };
    for lines in [
        &["Cache-Control: max-age=1"][..],
        &["Cache-Control: public"],
        &["Cache-Control: public, max-age=60"],
        &["Cache-Control: max-age=60, immutable"],
        &["Cache-Control: must-revalidate, max-age=60"],
        &[&date, &line("Expires", 1)],
    ] {
        assert!(!shared(lines), "{lines:?}");
        let freshness = Freshness::of(200, &fields(lines), NOW, NOW, &open);
        assert!(freshness.shared_with_cookies && of(200, lines).shared_with_authorized, "{lines:?}");
    }
    assert!(!shared(&["Cache-Control: s-maxage=0"]) && !shared(&["CDN-Cache-Control: max-age=0"]));
    assert!(!shared(&[&date, &modified]) && !shared(&["ETag: \"a\""]) && !shared(&[&date, &line("Expires", -1)]));
    assert!(!shared(&["Cache-Control: max-age=0", "ETag: \"a\""]) && !shared(&["Vary: X-Cookie"]));
}

#[test]
fn what_is_never_stale() {
    for said in ["must-revalidate", "proxy-revalidate", "s-maxage=2", "s-maxage=2, stale-while-revalidate=5"] {
        assert!(of(200, &[&format!("Cache-Control: max-age=2, {said}")]).must_revalidate, "{said}");
    }
    assert!(!of(200, &["Cache-Control: max-age=2, stale-if-error=60"]).must_revalidate);
    assert!(of(200, &["Cache-Control: no-cache"]).no_cache && of(200, &["Cache-Control: immutable"]).immutable);
}

#[test]
fn what_the_policy_adds() {
    let policy = Policy { stale_if_error: seconds(7), stale_while_revalidate: seconds(8), ..policy() };
    let of = |lines: &[&str]| {
        let of = Freshness::of(200, &fields(lines), NOW, NOW, &policy);
        (of.stale_if_error, of.stale_while_revalidate)
    };
    assert_eq!(of(&[]), (seconds(7), seconds(8)));
    assert_eq!(of(&["Cache-Control: stale-if-error=1, stale-while-revalidate=x"]), (seconds(1), seconds(0)));
}

proptest! {
    #[test]
    fn what_is_stale_stays_stale(
        cache_control in value(), age in value(), expires in value(), status in any::<u16>(),
        times in any::<[i64; 4]>(),
    ) {
        let mut fields = Fields::default();
        for (name, value) in [("Cache-Control", &cache_control), ("Age", &age), ("Expires", &expires)] {
            if !value.is_empty() {
                fields.push(name.as_bytes(), value);
            }
        }
        let [requested, received, one, other] = times.map(Time);
        let freshness = Freshness::of(status, &fields, requested, received, &policy());
        prop_assert!(freshness.lifetime <= LONGEST && freshness.initial_age <= LONGEST);
        let (before, after) = (one.min(other), one.max(other));
        prop_assert!(freshness.age(before) <= freshness.age(after));
        prop_assert!(freshness.is_fresh(before) || !freshness.is_fresh(after));
        prop_assert!(freshness.staleness(before) <= freshness.staleness(after));
        prop_assert!(freshness.is_fresh(before) != (freshness.age(before) >= freshness.lifetime));
    }
}
