use proptest::prelude::*;

use super::*;

fn framed(messages: &[Vec<u8>]) -> Vec<u8> {
    let mut all = Vec::new();
    for message in messages {
        all.push(0);
        all.extend(u32::try_from(message.len()).unwrap().to_be_bytes());
        all.extend(message);
    }
    all
}

proptest! {
    #[test]
    fn messages_come_whole_however_they_are_cut(
        messages in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..50), 0..5),
        cut in 1..20_usize,
    ) {
        let mut read = BytesMut::new();
        let mut taken = Vec::new();
        for piece in framed(&messages).chunks(cut) {
            read.extend_from_slice(piece);
            while let Some(message) = take(&mut read).unwrap() {
                taken.push(message.to_vec());
            }
        }
        prop_assert_eq!(taken, messages);
        prop_assert!(read.is_empty());
    }

    #[test]
    fn nothing_that_comes_is_more_than_an_error(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
        let mut read = BytesMut::from(bytes.as_slice());
        while let Ok(Some(message)) = take(&mut read) {
            let _ = super::super::messages::DiscoveryResponse::decode(message);
        }
    }
}

#[test]
fn what_is_compressed_or_too_long_is_refused() {
    let said = |bytes: &[u8]| take(&mut BytesMut::from(bytes)).unwrap_err().to_string();
    assert!(said(&[1, 0, 0, 0, 0]).contains("compressed"));
    let said = said(&[0, 0, 0x40, 0, 1]);
    assert!(said.contains("4194305 bytes"), "{said}");
}
