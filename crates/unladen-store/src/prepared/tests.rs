use proptest::prelude::*;

use super::*;

/// A flame graph's tree is as deep as its stacks are.
#[test]
fn a_deep_document_is_kept() {
    let depth = 20_000;
    let document = format!("{{\"a\": {}1{}}}", "[".repeat(depth), "]".repeat(depth));
    assert!(Prepared::new(&NewRun { document, ..NewRun::default() }).is_ok());
}

#[test]
fn sizes_are_those_before_and_after_compression() {
    let run = NewRun {
        document: format!("{{\"a\": \"{}\"}}", "x".repeat(10_000)),
        evidence: Some(Vec::new()),
        ..NewRun::default()
    };
    let prepared = Prepared::new(&run).unwrap();
    assert_eq!((prepared.document_bytes(), prepared.evidence_bytes()), (10_009, Some(0)));
    assert!((1..200).contains(&prepared.stored_bytes()), "{}", prepared.stored_bytes());
}

#[test]
fn spaces_around_a_document_do_no_harm() {
    assert!(Prepared::new(&NewRun { document: "\n {}\n".to_owned(), ..NewRun::default() }).is_ok());
}

#[test]
fn a_frame_that_would_be_larger_than_it_says_is_refused() {
    let frame = compress(&vec![0; 1 << 20]).unwrap();
    assert!(frame.len() < 1000);
    assert_eq!(decompress(&frame, 1 << 20, 1 << 20).unwrap().len(), 1 << 20);
    assert!(decompress(&frame, (1 << 20) - 1, 1 << 20).is_err());
    assert!(decompress(&frame, (1 << 20) + 1, 2 << 20).unwrap_err().contains("1048576 bytes instead of 1048577"));
    assert!(decompress(&frame, u64::MAX, 1 << 20).unwrap_err().contains("at most 1048576"));
    assert!(decompress(&[], 5, 10).is_err());
}

proptest! {
    #[test]
    fn any_bytes_come_back(raw in prop::collection::vec(any::<u8>(), 0..3000)) {
        prop_assert_eq!(decompress(&compress(&raw).unwrap(), raw.len() as u64, 3000).unwrap(), raw);
    }

    #[test]
    fn no_bit_changes_unnoticed(raw in prop::collection::vec(any::<u8>(), 1..300), at: prop::sample::Index, bit in 0_u32..8) {
        let mut frame = compress(&raw).unwrap();
        // The first bytes are zstd's mark and the frame's description, of which some bits mean nothing.
        let at = 6 + at.index(frame.len() - 6);
        frame[at] ^= 1_u8 << bit;
        prop_assert!(decompress(&frame, raw.len() as u64, 300) != Ok(raw.clone()) || frame == compress(&raw).unwrap());
    }

    #[test]
    fn other_bytes_are_refused(frame in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(decompress(&frame, 100, 200).is_err());
    }
}
