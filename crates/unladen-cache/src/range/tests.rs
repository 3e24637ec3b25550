use proptest::prelude::*;

use super::*;
use crate::tests::testing::value;

// RFC 9110, sections 14.1.2 and 14.2
#[test]
fn ranges_of_ten_bytes() {
    let parts = |parts: &[(u64, u64)]| Ranges::Some(parts.iter().map(|(start, end)| *start..*end).collect());
    let table = [
        ("bytes=0-1", parts(&[(0, 2)])),
        ("BYTES=0-1", parts(&[(0, 2)])),
        ("bytes=1-", parts(&[(1, 10)])),
        ("bytes=-1", parts(&[(9, 10)])),
        ("bytes=-99", parts(&[(0, 10)])),
        ("bytes=0-99", parts(&[(0, 10)])),
        ("bytes=9-99999999999999999999999", parts(&[(9, 10)])),
        ("bytes= 0-0 , , 5-5", parts(&[(0, 1), (5, 6)])),
        ("bytes=5-5,0-0", parts(&[(0, 1), (5, 6)])),
        ("bytes=0-4,3-5", parts(&[(0, 6)])),
        ("bytes=0-1,2-3", parts(&[(0, 4)])),
        ("bytes=0-0,99-", parts(&[(0, 1)])),
        ("bytes=10-", Ranges::Unsatisfiable),
        ("bytes=99999999999999999999999-", Ranges::Unsatisfiable),
        ("bytes=-0", Ranges::Unsatisfiable),
        ("bytes=0-,0-", Ranges::Whole),
        ("bytes=5-4", Ranges::Whole),
        ("bytes=0-0,5-4", Ranges::Whole),
        ("bytes=", Ranges::Whole),
        ("bytes=-", Ranges::Whole),
        ("bytes=a-1", Ranges::Whole),
        ("bytes=0-1x", Ranges::Whole),
        ("bytes=0", Ranges::Whole),
        ("bytes=--1", Ranges::Whole),
        ("bytes 0-1", Ranges::Whole),
        ("lines=0-1", Ranges::Whole),
        ("", Ranges::Whole),
    ];
    for (header, expected) in table {
        assert_eq!(ranges(header.as_bytes(), 10), expected, "{header}");
    }
}

#[test]
fn no_more_parts_than_are_worth_it() {
    let of = |count: u64| {
        let list: Vec<_> = (0..count).map(|at| format!("{0}-{0}", 10 * at)).collect();
        ranges(format!("bytes={}", list.join(",")).as_bytes(), 100_000)
    };
    assert!(matches!(of(8), Ranges::Some(parts) if parts.len() == 8));
    assert_eq!(of(9), Ranges::Whole);
    let same = format!("bytes={}", "0-0,".repeat(MOST_RANGES + 1));
    assert_eq!(ranges(same.as_bytes(), 100_000), Ranges::Whole);
}

#[test]
fn an_empty_body() {
    assert_eq!(ranges(b"bytes=0-", 0), Ranges::Unsatisfiable);
    assert_eq!(ranges(b"bytes=-5", 0), Ranges::Whole);
    assert_eq!(ranges(b"bytes=-0", 0), Ranges::Unsatisfiable);
    assert_eq!(ranges(b"bytes=0-", u64::MAX), Ranges::Some(std::iter::once(0..u64::MAX).collect()));
}

// RFC 9110, section 14.6
#[test]
fn several_parts_in_one_body() {
    let body = b"0123456789";
    let parts = [0..2, 5..6];
    let around = multipart(&parts, 10, Some(b"text/plain"), "X");
    let mut whole = Vec::new();
    for (head, part) in around.heads.iter().zip(&parts) {
        whole.extend_from_slice(head);
        whole.extend_from_slice(&body[part.start as usize..part.end as usize]);
    }
    whole.extend_from_slice(&around.tail);
    assert_eq!(around.length, whole.len() as u64);
    let text = "\r\n--X\r\nContent-Type: text/plain\r\nContent-Range: bytes 0-1/10\r\n\r\n01\
                \r\n--X\r\nContent-Type: text/plain\r\nContent-Range: bytes 5-5/10\r\n\r\n5\r\n--X--\r\n";
    assert_eq!(String::from_utf8_lossy(&whole), text);
}

proptest! {
    #[test]
    fn parts_are_within_the_body_and_apart(
        specs in proptest::collection::vec((any::<Option<u16>>(), any::<Option<u16>>()), 0..12), length in 0_u64..100_000,
    ) {
        let number = |number: &Option<u16>| number.map_or(String::new(), |number| number.to_string());
        let list: Vec<_> = specs.iter().map(|(first, last)| format!("{}-{}", number(first), number(last))).collect();
        check(format!("bytes={}", list.join(",")).as_bytes(), length)?;
    }

    #[test]
    fn any_bytes_are_ranges_or_none(header in value(), length in any::<u64>()) {
        check(&header, length)?;
        check(&[b"bytes=", &*header].concat(), length)?;
    }
}

fn check(header: &[u8], length: u64) -> Result<(), TestCaseError> {
    if let Ranges::Some(parts) = ranges(header, length) {
        prop_assert!((1..=MOST_PARTS).contains(&parts.len()));
        prop_assert!(parts.iter().all(|part| part.start < part.end && part.end <= length));
        prop_assert!(parts.windows(2).all(|pair| pair[0].end < pair[1].start));
    }
    Ok(())
}
