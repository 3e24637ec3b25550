use super::*;

#[test]
fn memory_is_bounded_and_the_oldest_goes_first() {
    let mut prepared = Prepared::default();
    let text = |length: usize| Text { bytes: vec![b'x'; length], truncated: false };
    for number in 0..10_000_u32 {
        prepared.insert(&number.to_be_bytes(), text(10));
    }
    assert_eq!((prepared.texts.len(), prepared.order.len()), (MAX_STATEMENTS, MAX_STATEMENTS));
    assert!(prepared.get(&9_999_u32.to_be_bytes()).is_some());
    assert!(prepared.get(&1_u32.to_be_bytes()).is_none());
    for number in 0..100_u32 {
        prepared.insert(&number.to_be_bytes(), text(100_000));
    }
    assert!(prepared.bytes <= MAX_BYTES);
    for number in 0..10_000_u32 {
        prepared.remove(&number.to_be_bytes());
    }
    assert_eq!((prepared.bytes, prepared.texts.len(), prepared.order.len()), (0, 0, 0));
}

#[test]
fn a_name_given_again_replaces_the_text() {
    let mut prepared = Prepared::default();
    for bytes in [b"SELECT 1".to_vec(), b"SELECT 2".to_vec()] {
        prepared.insert(b"", Text { bytes, truncated: false });
    }
    assert_eq!(prepared.get(b"").map(|text| text.bytes.as_slice()), Some(&b"SELECT 2"[..]));
    assert_eq!((prepared.order.len(), prepared.bytes), (1, 8));
}

/// Clients give the statement without a name again and again: it was taken for the oldest.
#[test]
fn a_name_given_again_was_the_first_to_be_forgotten() {
    let mut prepared = Prepared::default();
    let text = |length: usize| Text { bytes: vec![b'x'; length], truncated: false };
    prepared.insert(b"", text(10));
    for number in 0..10_u8 {
        prepared.insert(&[number], text(100_000));
    }
    prepared.insert(b"", text(90_000));
    assert!(prepared.get(b"").is_some() && prepared.get(&[9]).is_some());
    assert!(prepared.get(&[0]).is_none() && prepared.bytes <= MAX_BYTES);
}
