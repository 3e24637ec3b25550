use proptest::prelude::*;

use super::*;
use crate::BusUrl;

fn place(url: &str) -> Result<Place, BusError> {
    let (fleet, node) = ("shop".to_owned(), "web.1".to_owned());
    Place::new(&BusSettings { url: BusUrl::parse(url)?, ca: None, fleet, node, keep: 10 })
}

#[test]
fn a_place_shows_no_secret() {
    let place = place("nats://me:s3cret@bus.example").unwrap();
    assert_eq!(format!("{place:?}"), "nats://bus.example:4222");
    assert_eq!(place.user, Some(("me".to_owned(), Some("s3cret".to_owned()))));
    let error = self::place("nats://me:s3cret@bus.example/db").unwrap_err();
    assert!(!error.to_string().contains("s3cret"), "{error}");
}

#[test]
fn a_name_is_one_word_of_a_subject() {
    let place = place("nats://bus.example").unwrap();
    assert_eq!(place.word_of("web.1 *"), "unladen.shop.node.web=2e1=20=2a");
    assert_eq!(Place::node_of("unladen.shop.node.web=2e1=20=2a").as_deref(), Some("web.1 *"));
    assert_eq!(Place::node_of("unladen.shop.node.web=2"), None);
    assert_eq!(Place::node_of("unladen.shop.node.=\u{e9}9"), None);
}

proptest! {
    #[test]
    fn names_come_back(name in ".{0,40}") {
        let subject = format!("unladen.shop.node.{}", encoded(&name));
        prop_assert!(!encoded(&name).contains(['.', '*', '>', ' ']));
        prop_assert_eq!(Place::node_of(&subject), Some(name));
    }

    #[test]
    fn no_subject_is_too_much(subject in ".{0,60}") {
        let _ = Place::node_of(&subject);
    }
}

#[test]
fn silence_is_explained_by_what_was_forbidden_and_nothing_else_is() {
    let forbidden = Forbidden::default();
    assert_eq!(forbidden.explains(BusError::Timeout), BusError::Timeout);
    let said = |words: &str| Event::ServerError(ServerError::Other(words.to_owned()));
    forbidden.hear(&said("Stale Connection"));
    assert_eq!(forbidden.explains(BusError::Timeout), BusError::Timeout);
    forbidden.hear(&said("Permissions Violation for Publish to \"$JS.API.STREAM.INFO.UNLADEN_a\"\u{1b}"));
    let other = BusError::Answer("else".to_owned());
    assert_eq!(forbidden.explains(other.clone()), other);
    // What was said before is not said of what comes later.
    assert_eq!(forbidden.explains(BusError::Timeout), BusError::Timeout);
    forbidden.hear(&said("Permissions Violation for Publish to \"$JS.API.STREAM.INFO.UNLADEN_a\"\u{1b}"));
    let BusError::Refused(words) = forbidden.explains(BusError::Timeout) else { panic!("it was forbidden") };
    assert!(words.contains("STREAM.INFO") && words.contains("`unladen.>`") && !words.contains('\u{1b}'), "{words}");
}
