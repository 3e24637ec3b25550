use super::*;
use proptest::prelude::*;

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
