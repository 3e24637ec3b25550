use proptest::prelude::*;

use super::*;
use crate::tests::testing::{NOW, get, later, seconds, value};

fn stored(etag: Option<&str>, modified: Option<i64>) -> Validators {
    Validators { etag: etag.map(|etag| etag.as_bytes().into()), modified: modified.map(later), date: Some(NOW) }
}

fn verdict(lines: &[&str], validators: &Validators) -> Verdict {
    precondition(&get("/", lines), validators, NOW)
}

fn line(name: &str, at: i64) -> String {
    format!("{name}: {}", later(at).http_date())
}

// RFC 9110, sections 8.8.3.2, 13.1.1 and 13.1.2
#[test]
fn tags_that_match() {
    let none_match = |etag: &str, header: &str| {
        verdict(&[&format!("If-None-Match: {header}")], &stored(Some(etag), None)) == Verdict::NotModified
    };
    let strong = "\"a\"";
    for header in ["\"a\"", "W/\"a\"", "*", "\"b\", \"a\"", ",, \"b\" ,W/\"a\",", "\"b,\", \"a\"", "x, \"a\""] {
        assert!(none_match(strong, header), "{header}");
    }
    for header in ["", "\"A\"", "a", "\"b\", \"c\"", "\"x,\"a\"", "\"a\"b", "w/\"a\"", "W/", "\"b, \"a\""] {
        assert!(!none_match(strong, header), "{header}");
    }
    assert!(none_match("W/\"a\"", "\"a\"") && none_match("W/\"a\"", "W/\"a\""));
    assert!(none_match("a", "a") && none_match("\"a,b\"", "\"x\", \"a,b\"") && none_match("\"\u{fc}\"", "\"\u{fc}\""));

    let fails = |etag: &str, header: &str| {
        verdict(&[&format!("If-Match: {header}")], &stored(Some(etag), None)) == Verdict::Failed
    };
    assert!(!fails(strong, "\"a\"") && !fails(strong, "\"b\", \"a\"") && !fails(strong, "*") && !fails("W/\"a\"", "*"));
    assert!(fails(strong, "W/\"a\"") && fails("W/\"a\"", "W/\"a\"") && fails(strong, "\"b\"") && fails("a", "a"));
}

#[test]
fn lists_across_lines() {
    let validators = stored(Some("\"a\""), None);
    assert_eq!(verdict(&["If-None-Match: \"x\"", "if-none-match: \"a\""], &validators), Verdict::NotModified);
    assert_eq!(verdict(&["If-Match: \"x\"", "if-match: \"a\""], &validators), Verdict::Proceed);
    assert_eq!(verdict(&["If-None-Match: \"a\""], &Validators::default()), Verdict::Proceed);
    assert_eq!(verdict(&["If-None-Match: *"], &Validators::default()), Verdict::NotModified);
}

// RFC 9110, sections 13.1.3 and 13.1.4; RFC 9111, section 4.3.2
#[test]
fn dates() {
    let modified = stored(None, Some(-3000));
    let since = |validators: &Validators, at| verdict(&[&line("If-Modified-Since", at)], validators);
    assert_eq!(since(&modified, -3000), Verdict::NotModified);
    assert_eq!(since(&modified, -2000), Verdict::NotModified);
    assert_eq!(since(&modified, -3001), Verdict::Proceed);
    // without Last-Modified by Date, without that by when it came
    assert_eq!(since(&stored(None, None), -1), Verdict::Proceed);
    assert_eq!(since(&stored(None, None), 0), Verdict::NotModified);
    assert_eq!(since(&Validators::default(), 0), Verdict::NotModified);
    assert_eq!(verdict(&["If-Modified-Since: Sunday, 06-Nov-94 08:49:37 GMT"], &modified), Verdict::NotModified);
    assert_eq!(verdict(&["If-Modified-Since: yesterday"], &modified), Verdict::Proceed);
    let twice = line("If-Modified-Since", 0);
    assert_eq!(verdict(&[&twice, &twice], &modified), Verdict::Proceed);

    let unless = |validators: &Validators, at| verdict(&[&line("If-Unmodified-Since", at)], validators);
    assert_eq!(unless(&modified, -3000), Verdict::Proceed);
    assert_eq!(unless(&modified, -3001), Verdict::Failed);
    assert_eq!(unless(&stored(None, None), -3001), Verdict::Proceed);
}

// RFC 9110, section 13.2.2
#[test]
fn order() {
    let validators = stored(Some("\"a\""), Some(-3000));
    let (old, new) = (line("If-Modified-Since", -5000), line("If-Modified-Since", 0));
    assert_eq!(verdict(&["If-None-Match: \"a\"", &old], &validators), Verdict::NotModified);
    assert_eq!(verdict(&["If-None-Match: \"b\"", &new], &validators), Verdict::Proceed);
    assert_eq!(verdict(&["If-None-Match:", &new], &validators), Verdict::Proceed);
    assert_eq!(verdict(&["If-Match: \"b\"", "If-None-Match: \"a\""], &validators), Verdict::Failed);
    assert_eq!(verdict(&["If-Match: \"a\"", "If-None-Match: \"a\""], &validators), Verdict::NotModified);
    let unless = line("If-Unmodified-Since", -5000);
    assert_eq!(verdict(&["If-Match: \"a\"", &unless], &validators), Verdict::Proceed);
    assert_eq!(verdict(&[], &validators), Verdict::Proceed);

    let mut request = get("/", &["If-None-Match: \"a\""]);
    for (method, expected) in [("HEAD", Verdict::NotModified), ("POST", Verdict::Proceed)] {
        request.method = method.into();
        assert_eq!(precondition(&request, &validators, NOW), expected, "{method}");
    }
}

// RFC 9110, sections 13.1.5 and 8.8.2.2
#[test]
fn ranges_of_another_version_are_not_looked_at() {
    let holds = |lines: &[&str], validators: &Validators| if_range(&get("/", lines), validators);
    let strong = stored(Some("\"a\""), Some(-3000));
    assert!(holds(&[], &strong) && holds(&["If-Range: \"a\""], &strong));
    assert!(holds(&[&line("If-Range", -3000)], &strong));
    for not in ["If-Range: W/\"a\"", "If-Range: \"b\"", "If-Range: *", "If-Range:", "If-Range: a", &line("If-Range", 0)]
    {
        assert!(!holds(&[not], &strong), "{not}");
    }
    assert!(!holds(&["If-Range: \"a\"", "If-Range: \"a\""], &strong));
    assert!(!holds(&["If-Range: W/\"a\""], &stored(Some("W/\"a\""), None)));
    assert!(!holds(&[&line("If-Range", -5)], &stored(None, Some(-5))), "changed within the minute");
    assert_eq!(STRONG_AFTER, seconds(60));
}

#[test]
fn validators_of_a_response() {
    let fields = crate::tests::testing::fields(&["ETag: \"a\"", &line("Last-Modified", -5), "Date: x"]);
    assert_eq!(Validators::of(&fields), Validators { date: None, ..stored(Some("\"a\""), Some(-5)) });
    assert_eq!(Validators::of(&crate::tests::testing::fields(&["ETag:", "Last-Modified: 0"])), Validators::default());
}

proptest! {
    #[test]
    fn any_bytes_are_judged(if_match in value(), none_match in value(), if_range_value in value(), etag in value()) {
        let mut request = get("/", &[]);
        let validators = Validators { etag: Some(etag.into()), ..stored(None, Some(-3000)) };
        request.fields.push(b"If-Range", &if_range_value);
        let _ = if_range(&request, &validators);
        request.fields.push(b"If-None-Match", &none_match);
        let without = precondition(&request, &validators, NOW);
        prop_assert!(without != Verdict::Failed);
        // a further condition never makes a copy good, and one for other methods none
        request.fields.push(b"If-Match", &if_match);
        let with = precondition(&request, &validators, NOW);
        prop_assert!(with == Verdict::Failed || with == without);
        request.method = b"PUT".to_vec();
        prop_assert!(precondition(&request, &validators, NOW) != Verdict::NotModified);
    }

    #[test]
    fn a_tag_matches_itself_among_any_others(
        opaque in "[!#-~]{0,12}", others in proptest::collection::vec("(W/)?\"[!#-~]{0,8}\"", 0..4), weak in any::<bool>(),
    ) {
        let etag = format!("{}\"{opaque}\"", if weak { "W/" } else { "" });
        let list = [others, vec![etag.clone()]].concat().join(", ");
        let validators = stored(Some(&etag), None);
        prop_assert_eq!(verdict(&[&format!("If-None-Match: {list}")], &validators), Verdict::NotModified);
        prop_assert_eq!(verdict(&[&format!("If-Match: {list}")], &validators) == Verdict::Failed, weak);
        prop_assert_eq!(if_range(&get("/", &[&format!("If-Range: {etag}")]), &validators), !weak);
    }
}
