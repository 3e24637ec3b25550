use proptest::prelude::*;

use super::*;

proptest! {
    #[test]
    fn a_request_reads_back(family in 17_u16.., command: u8, attribute in 0_u16..=TYPE_MASK, value in proptest::collection::vec(any::<u8>(), 0..300)) {
        let bytes = request(family, command, attribute, &value);
        let messages: Vec<_> = Message::all(&bytes).collect();
        prop_assert_eq!(messages.len(), 1);
        prop_assert_eq!(messages[0].kind, family);
        prop_assert_eq!(messages[0].attributes().collect::<Vec<_>>(), vec![(attribute, &value[..])]);
    }

    #[test]
    fn no_datagram_makes_the_walk_panic_or_run_on(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        for message in Message::all(&bytes) {
            let _ = message.error();
            for (_, value) in message.attributes() {
                prop_assert!(Attributes(value).count() <= value.len());
            }
        }
    }
}

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
