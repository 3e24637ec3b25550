use super::*;
use proptest::prelude::*;

proptest! {
    #[test]
    fn numbers_are_found_behind_their_key(n: u64, noise in "[a-z ]{0,20}") {
        let content = format!("{noise}\nkey:\t {n} kB\nother: 5\n");
        prop_assert_eq!(number_after(content.as_bytes(), b"key:"), Some(n));
    }

    #[test]
    fn no_bytes_make_the_number_parser_panic(bytes: Vec<u8>) {
        let _ = decimal(&bytes);
        let _ = number_after(&bytes, b"k");
    }
}
