//! `Range`, behind eight bytes of a body's length: parts are within the body, apart, and few.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unladen_cache::{Ranges, multipart, ranges};

fuzz_target!(|bytes: &[u8]| {
    let Some((length, header)) = bytes.split_first_chunk() else { return };
    let length = u64::from_le_bytes(*length);
    let Ranges::Some(parts) = ranges(header, length) else { return };
    assert!((1..=8).contains(&parts.len()));
    assert!(parts.iter().all(|part| part.start < part.end && part.end <= length), "{parts:?} of {length}");
    assert!(parts.windows(2).all(|pair| pair[0].end < pair[1].start), "{parts:?}");
    let around = multipart(&parts, length, Some(b"text/plain"), "B");
    assert_eq!(around.heads.len(), parts.len());
    // a part that is asked for again is itself
    let one = &parts[0];
    let again = format!("bytes={}-{}", one.start, one.end - 1);
    assert_eq!(ranges(again.as_bytes(), length), Ranges::Some(vec![one.clone()]));
});
