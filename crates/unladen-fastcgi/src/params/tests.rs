use proptest::prelude::*;

use super::*;

#[test]
fn lengths_are_of_one_byte_or_four() {
    let params = Params(vec![(b"A".to_vec(), vec![b'x'; 128]), (Vec::new(), b"v".to_vec())]);
    let bytes = params.encode();
    assert_eq!(bytes[..6], [1, 0x80, 0, 0, 128, b'A']);
    assert_eq!(bytes[134..], [0, 1, b'v']);
    assert_eq!(Params::decode(&bytes), Some(params));
}

#[test]
fn the_first_of_a_name_counts() {
    let mut params = Params(vec![(b"A".to_vec(), b"1".to_vec()), (b"A".to_vec(), b"2".to_vec())]);
    assert_eq!(params.get("A"), Some(&b"1"[..]));
    params.set("A", "3");
    params.set("B", "4");
    assert_eq!((params.text("A"), params.text("B")), (Some("3"), Some("4")));
    params.remove("A");
    assert_eq!(params.0, [(b"B".to_vec(), b"4".to_vec())]);
}

proptest! {
    #[test]
    fn what_is_encoded_is_decoded(pairs: Vec<(Vec<u8>, Vec<u8>)>, long in 0_usize..70_000) {
        let mut params = Params(pairs);
        params.set("LONG", vec![b'x'; long]);
        prop_assert_eq!(Params::decode(&params.encode()), Some(params));
    }

    #[test]
    fn what_is_cut_is_none_or_less(pairs in prop::collection::vec(any::<(Vec<u8>, Vec<u8>)>(), 1..4), cut: prop::sample::Index) {
        let bytes = Params(pairs.clone()).encode();
        let cut = cut.index(bytes.len());
        if let Some(decoded) = Params::decode(&bytes[..cut]) {
            prop_assert!(decoded.0.len() < pairs.len());
            prop_assert_eq!(&decoded.0[..], &pairs[..decoded.0.len()]);
        }
    }

    #[test]
    fn any_bytes_are_decoded_to_no_more_than_themselves(bytes: Vec<u8>) {
        if let Some(params) = Params::decode(&bytes) {
            let total: usize = params.0.iter().map(|(name, value)| name.len() + value.len()).sum();
            prop_assert!(total <= bytes.len());
        }
    }
}
