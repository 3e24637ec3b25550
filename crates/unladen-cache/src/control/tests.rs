use proptest::prelude::*;

use super::*;
use crate::tests::testing::{fields, seconds, value};

fn said(line: &str) -> ResponseControl {
    ResponseControl::of(&fields(&[&format!("Cache-Control: {line}")]))
}

// RFC 9111, section 5.2; section 4.2.1: what is not valid is stale
#[test]
fn lifetimes() {
    const ANY: Option<Duration> = Some(crate::text::LONGEST);
    let table: [(&str, Option<Duration>); 26] = [
        ("max-age=3600", Some(seconds(3600))),
        ("MaX-aGe=3600", Some(seconds(3600))),
        ("max-age=\"3600\"", Some(seconds(3600))),
        ("max-age=003600", Some(seconds(3600))),
        ("max-age=0", Some(seconds(0))),
        ("max-age=2147483647", Some(seconds(2_147_483_647))),
        ("max-age=2147483649", ANY),
        ("max-age=99999999999999999999999", ANY),
        ("max-age=-3600", Some(seconds(0))),
        ("max-age='3600'", Some(seconds(0))),
        ("max-age=3600.5", Some(seconds(0))),
        ("max-age=3600a", Some(seconds(0))),
        ("max-age=", Some(seconds(0))),
        ("max-age", Some(seconds(0))),
        ("max-age =3600", Some(seconds(0))),
        ("max-age= 3600", Some(seconds(0))),
        ("max-age=\"3600", Some(seconds(0))),
        ("max-age=\"3600\"1", Some(seconds(0))),
        ("foobar, max-age=5", Some(seconds(5))),
        (", ,max-age=5 ,", Some(seconds(5))),
        ("extension=\"max-age=3600\", max-age=1", Some(seconds(1))),
        ("max-age=1, extension=\"max-age=3600\"", Some(seconds(1))),
        ("extension=\"a\\\", max-age=3600\", max-age=1", Some(seconds(1))),
        ("max-age=7, max-age=8", Some(seconds(7))),
        ("xmax-age=5", None),
        ("", None),
    ];
    for (line, max_age) in table {
        assert_eq!(said(line).max_age, max_age, "{line}");
    }
    let both = ResponseControl::of(&fields(&["Cache-Control: max-age=1", "cache-control: s-maxage=2"]));
    assert_eq!((both.max_age, both.s_maxage, both.lifetime()), (Some(seconds(1)), Some(seconds(2)), Some(seconds(2))));
}

#[test]
fn flags_of_a_response() {
    let all =
        said("No-StOrE, public, must-revalidate, proxy-revalidate, must-understand, immutable, private, no-cache");
    assert!(all.no_store && all.public && all.must_revalidate && all.proxy_revalidate && all.must_understand);
    assert!(all.immutable && all.private && all.no_cache && !all.targeted);
    assert_eq!(said("ext=\"no-store, private\""), ResponseControl::default());
    // a quote that does not end hides nothing that forbids
    assert!(said("ext=\"a, no-store").no_store);
    // a value where none is meant does not take the directive off
    assert!(said("no-store=1").no_store);
    // nor does a separator that is none
    assert!(said("private; max-age=60").private && said("max-age=60;Private").private && said("a;no-store=1").no_store);
    assert!(said("public; no-cache, x").no_cache && !said("max-age=60; xprivate").private);
    let stale = said("stale-while-revalidate=5, stale-if-error=x");
    assert_eq!((stale.stale_while_revalidate, stale.stale_if_error), (Some(seconds(5)), Some(seconds(0))));
}

// RFC 9111, sections 5.2.2.4 and 5.2.2.7
#[test]
fn fields_that_are_named() {
    let some = said("no-cache=\"A, b\", private=c");
    assert!(!some.no_cache && !some.private);
    let names: Vec<&[u8]> = some.without.iter().map(|name| &**name).collect();
    assert_eq!(names, [b"a", b"b", b"c"]);
    for whole in ["no-cache=\"\"", "no-cache=", "no-cache=\"a b\"", "no-cache=\"a", "no-cache, no-cache=\"a\""] {
        assert!(said(whole).no_cache, "{whole}");
    }
    let many = format!("private=\"{}\"", "a,".repeat(MOST_WITHOUT + 1));
    assert!(said(&many).private && said(&many).without.is_empty());
}

// RFC 9213
#[test]
fn targeted_control_replaces_the_other() {
    let of = |lines: &[&str]| ResponseControl::of(&fields(lines));
    let control = of(&["Cache-Control: no-store", "CDN-Cache-Control: max-age=60;x, stale-if-error=5"]);
    assert!(control.targeted && !control.no_store);
    assert_eq!((control.max_age, control.stale_if_error), (Some(seconds(60)), Some(seconds(5))));
    for not_valid in ["", "Max-Age=60", "max-age=60,", "max-age=\"60", "&", "max-age=60 no-store"] {
        let control = of(&["Cache-Control: max-age=7", &format!("CDN-Cache-Control: {not_valid}")]);
        assert_eq!((control.targeted, control.max_age), (false, Some(seconds(7))), "{not_valid}");
    }
    for stale in ["max-age=-1", "max-age=1.5", "max-age=\"60\"", "max-age", "max-age=(1 2)"] {
        assert_eq!(of(&[&format!("CDN-Cache-Control: {stale}")]).max_age, Some(seconds(0)), "{stale}");
    }
    let lines =
        of(&["CDN-Cache-Control: max-age=999999999999999", "CDN-Cache-Control: no-store, no-cache=?0, private=\"a\""]);
    assert!(lines.no_store && !lines.no_cache && !lines.private && lines.without.len() == 1);
    assert_eq!(lines.max_age, Some(LONGEST_SAID));
}

const LONGEST_SAID: Duration = crate::text::LONGEST;

#[test]
fn pragma_counts_where_nothing_else_is_said() {
    assert!(RequestControl::of(&fields(&["Pragma: x, No-Cache"])).no_cache);
    assert!(!RequestControl::of(&fields(&["Pragma: no-cache", "Cache-Control: max-age=5"])).no_cache);
    assert!(!RequestControl::of(&fields(&["Pragma: extension"])).no_cache);
    assert!(ResponseControl::of(&fields(&["Pragma: no-cache"])).no_cache);
    assert!(!ResponseControl::of(&fields(&["Pragma: no-cache", "Cache-Control: max-age=5"])).no_cache);
}

// RFC 9111, section 5.2.1; RFC 5861, section 4
#[test]
fn what_a_request_says() {
    let of = |line: &str| RequestControl::of(&fields(&[&format!("Cache-Control: {line}")]));
    let all = of("no-cache, no-store, only-if-cached, max-age=1, min-fresh=2, max-stale=3, stale-if-error=4");
    assert!(all.no_cache && all.no_store && all.only_if_cached);
    assert_eq!((all.max_age, all.min_fresh), (Some(seconds(1)), Some(seconds(2))));
    assert_eq!((all.max_stale, all.stale_if_error), (Some(MaxStale::For(seconds(3))), Some(seconds(4))));
    assert_eq!(of("max-stale").max_stale, Some(MaxStale::Any));
    assert_eq!(of("max-age=x, max-stale=x, min-fresh=, stale-if-error"), RequestControl::default());
}

proptest! {
    #[test]
    fn any_bytes_are_read(request in value(), cdn in value(), two in value()) {
        let mut fields = Fields::default();
        fields.push(b"Cache-Control", &request);
        fields.push(b"Cache-Control", &two);
        let _ = RequestControl::of(&fields);
        let plain = ResponseControl::of(&fields);
        prop_assert!(plain.without.len() <= MOST_WITHOUT && !plain.targeted);
        fields.push(b"CDN-Cache-Control", &cdn);
        let control = ResponseControl::of(&fields);
        prop_assert!(control.targeted || control == plain);
    }

    #[test]
    fn what_forbids_is_not_lost_behind_anything(before in "[a-z=, ]{0,20}", after in value()) {
        let mut fields = Fields::default();
        let mut line = format!("{before}, no-store, ").into_bytes();
        line.extend_from_slice(&after);
        fields.push(b"Cache-Control", &line);
        prop_assert!(ResponseControl::of(&fields).no_store);
    }
}
