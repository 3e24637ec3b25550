use super::*;

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
