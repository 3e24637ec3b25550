use super::*;

/// What the server refuses was taken for an answer that is not understood.
#[test]
fn what_is_refused_is_told_from_what_is_not_understood() {
    let full = judged("publish failed: maximum bytes exceeded (code 503, error code 10077)".to_owned());
    assert!(matches!(&full, BusError::Refused(words) if words.contains("discard")), "{full}");
    let gone = judged("request failed: stream not found (code 404, error code 10059)".to_owned());
    assert!(matches!(&gone, BusError::Refused(words) if words.ends_with("10059)")), "{gone}");
    assert_eq!(judged("timed out: didn't receive ack in time".to_owned()), BusError::Timeout);
    assert_eq!(judged("a word".to_owned()), BusError::Answer("a word".to_owned()));
}
