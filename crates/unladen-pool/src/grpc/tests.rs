use super::*;

#[test]
fn what_is_framed_has_its_length_before_it() {
    let bytes = framed(&"a word".to_owned()).unwrap();
    let (length, rest) = head(&bytes).unwrap().unwrap();
    assert_eq!(length, rest.len());
    assert_eq!(String::decode(rest).unwrap(), "a word");
    assert_eq!(head(&bytes[..4]), Ok(None));
    assert!(head(&[1, 0, 0, 0, 0]).unwrap_err().contains("compressed"));
}

#[test]
fn how_a_call_ended_is_bounded() {
    let mut trailers = HeaderMap::new();
    assert_eq!(Ended::of(&trailers), Ended { status: String::new(), message: String::new() });
    trailers.insert("grpc-status", HeaderValue::from_static("14141414141414"));
    trailers.insert("grpc-message", HeaderValue::from_str(&"x".repeat(300)).unwrap());
    let Ended { status, message } = Ended::of(&trailers);
    assert_eq!((status.len(), message.len()), (8, 200));
}
