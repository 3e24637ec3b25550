use super::*;

#[test]
fn hops_of_trace_and_options_were_neither_looked_at_nor_counted() {
    let counted = |method: &[u8], hops: &[u8]| {
        let mut request = Request { method: method.into(), ..Request::default() };
        request.fields.push(MAX_FORWARDS, hops);
        let status = counted(&mut request);
        (status, String::from_utf8_lossy(request.fields.find(MAX_FORWARDS).unwrap_or_default()).into_owned())
    };
    assert_eq!(counted(b"OPTIONS", b"0"), (Some(200), "0".to_owned()));
    assert_eq!(counted(b"TRACE", b"0"), (Some(405), "0".to_owned()));
    assert_eq!(counted(b"TRACE", b"3"), (None, "2".to_owned()));
    // Of other methods it may mean something to the application; what is no number means nothing.
    assert_eq!(counted(b"GET", b"0"), (None, "0".to_owned()));
    assert_eq!(counted(b"OPTIONS", b"many"), (None, "many".to_owned()));
    assert_eq!(counted(b"OPTIONS", b"+1"), (None, "+1".to_owned()));
    // It went round for ever.
    let (most, less) = ("99999999999999999999", (u64::MAX - 1).to_string());
    assert_eq!(counted(b"TRACE", most.as_bytes()), (None, less));
    let mut twice = Request { method: b"OPTIONS".into(), ..Request::default() };
    twice.fields.push(MAX_FORWARDS, b"5");
    twice.fields.push(MAX_FORWARDS, b"0");
    assert_eq!(super::counted(&mut twice), Some(200));
}
