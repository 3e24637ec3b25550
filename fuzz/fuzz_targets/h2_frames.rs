//! Frames of HTTP/2 as they pass: the same head is under way, and the same bodies have passed, in whatever pieces they
//! come; and no more of bodies than there were bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unladen_serve::fuzzing::frames;

fuzz_target!(|input: (u8, [u16; 3], &[u8])| {
    let (preface, sizes, bytes) = input;
    let preface = usize::from(preface % 32);
    let whole = frames(bytes, preface, &[usize::MAX]);
    assert_eq!(frames(bytes, preface, &sizes.map(usize::from)), whole);
    assert_eq!(frames(bytes, preface, &sizes.map(|size| usize::from(size % 12))), whole);
    let (head, bodies) = whole;
    assert!(bodies <= bytes.len() as u64);
    // Each head takes nine bytes to begin.
    assert!(head.is_none_or(|head| head <= 1 + bytes.len() as u64 / 9));
});
