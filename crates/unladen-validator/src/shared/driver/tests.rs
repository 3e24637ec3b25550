use proptest::prelude::*;

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

const RUN: &str = "0123456789abcdef0123456789abcdef01234567";

proptest! {
    #[test]
    fn what_is_written_is_read(at in 0..i64::MAX as u64, version in prop::option::of(prop::collection::vec(any::<u8>(), 0..200))) {
        let version: Version = version.map(Into::into);
        let value = write(RUN, at, &version);
        prop_assert_eq!(read(&value, RUN), Some((at, version)));
        // Times of another engine say nothing.
        prop_assert_eq!(read(&value, &RUN.replace('0', "f")), None);
    }

    #[test]
    fn anything_can_be_read(bytes in prop::collection::vec(any::<u8>(), 0..100), cut in 0..60_usize) {
        let _ = read(&bytes, RUN);
        let mut value = write(RUN, 12, &Some((*b"label").into()));
        value.truncate(cut);
        let head = format!("={RUN} 12 v").len();
        prop_assert_eq!(read(&value, RUN).is_some(), value.len() >= head);
    }
}

#[test]
fn what_is_too_long_is_no_answer() {
    assert_eq!(read(&write(RUN, 1, &Some(vec![b'x'; 2 * LONGEST].into())), RUN), None);
}
