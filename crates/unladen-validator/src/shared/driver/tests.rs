use super::*;

/// Whatever somebody has written there: it is no answer, or one that is young enough.
#[test]
fn what_the_engine_says_is_looked_at_here_too() {
    let run = "f".repeat(40);
    let within = Duration::from_millis(5);
    let said =
        |told: ValkeyReply| looked(&ValkeyReply::Array(vec![ValkeyReply::Bulk(b"10000".to_vec()), told]), &run, within);
    let told = |at: u64| said(ValkeyReply::Bulk(write(&run, at, &Some((*b"7").into()))));
    let young = Looked::Answer { version: Some((*b"7").into()), age: Duration::from_millis(5) };
    assert_eq!(told(5_000), Some(young));
    assert_eq!((told(4_999), told(10_001)), (None, None));
    assert_eq!(said(ValkeyReply::Nil), Some(Looked::Ask { now: 10_000 }));
    assert_eq!(said(ValkeyReply::Bulk(b"?".to_vec())), Some(Looked::Asked));
    assert_eq!(said(ValkeyReply::Bulk(b"=".to_vec())), None);
    assert_eq!(looked(&ValkeyReply::Nil, &run, within), None);
    let of_another = write(&"e".repeat(40), 9_000, &None);
    assert_eq!(said(ValkeyReply::Bulk(of_another)), None);
}
