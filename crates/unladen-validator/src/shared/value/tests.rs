use proptest::prelude::*;

use super::*;

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
