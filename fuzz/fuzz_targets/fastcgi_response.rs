//! What an application answers over FastCGI, cut anywhere.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unladen_profiler::fuzzing::fastcgi_response;

fuzz_target!(|input: (&[u8], Vec<u8>)| {
    let (bytes, cuts) = input;
    let whole = fastcgi_response(&[bytes]);
    let mut pieces = Vec::new();
    let mut rest = bytes;
    for cut in cuts {
        let (piece, after) = rest.split_at(usize::from(cut).min(rest.len()));
        pieces.push(piece);
        rest = after;
    }
    pieces.push(rest);
    assert_eq!(fastcgi_response(&pieces), whole, "however it comes, it is the same answer");
    if let Some((status, body, kept)) = whole {
        assert!((100..=999).contains(&status));
        assert!(body <= bytes.len() as u64 && kept as u64 <= body);
    }
});
