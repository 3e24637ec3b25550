use super::*;
use proptest::prelude::*;

#[test]
fn records_before_version_12_are_refused() {
    let mut bytes = vec![0; 512];
    bytes[..2].copy_from_slice(&11_u16.to_ne_bytes());
    assert_eq!(Record::parse(0, &bytes), None);
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(tid: i32, bytes in proptest::collection::vec(any::<u8>(), 0..520)) {
        let _ = Record::parse(tid, &bytes);
    }
}
