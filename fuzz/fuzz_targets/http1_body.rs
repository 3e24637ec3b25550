//! Bodies: the same data, trailers, end or fault in whatever pieces they come, out of a buffer of 16 KiB; and what is
//! read is read again as it is written.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unladen_http1::{Fault, LAST_CHUNK, Length};

#[allow(dead_code, reason = "shared with the crate's own tests")]
#[path = "../../crates/unladen-http1/tests/http1/support.rs"]
mod support;

fuzz_target!(|input: (u8, u16, [u16; 3], &[u8])| {
    let (kind, repeated, pieces, rest) = input;
    let length = match kind % 8 {
        0 => Length::Exact(u64::from(repeated)),
        1 => Length::UntilClose,
        2 => Length::None,
        _ => Length::Chunked,
    };
    // long lines and trailers, which the fuzzer would not find out by itself
    let bytes = match kind % 8 {
        6 => [b"5;", &*b"a".repeat(usize::from(repeated)), rest].concat(),
        7 => [b"0\r\n", &*b"X: y\r\n".repeat(usize::from(repeated)), rest].concat(),
        _ => rest.to_vec(),
    };
    let whole = support::body(&bytes, length, &[usize::MAX]);
    let pieces = pieces.map(usize::from);
    // few steps over a long line: each looks at all of it
    let pieces = if bytes.len() < 1000 { pieces } else { pieces.map(|piece| piece + 200) };
    assert_eq!(support::body(&bytes, length, &pieces), whole);
    if bytes.len() < 1000 {
        assert_eq!(support::body(&bytes, length, &pieces.map(|piece| piece % 8)), whole);
    }
    assert!(whole.data.len() <= bytes.len());
    if let Some(fault) = whole.fault {
        assert!(length == Length::Chunked && matches!(fault, Fault::Chunk | Fault::Trailers));
    }
    if length == Length::Chunked && whole.end.is_some() {
        let mut written = support::write_chunks(whole.data.chunks(pieces[0] + 1));
        assert!(written.ends_with(LAST_CHUNK));
        written.truncate(written.len() - 2);
        for (name, value) in &whole.trailers {
            written.extend_from_slice(&[&**name, b": ", value, b"\r\n"].concat());
        }
        written.extend_from_slice(b"\r\n");
        let again = support::body(&written, length, &pieces);
        assert_eq!((again.end, again.fault), (Some(written.len()), None));
        assert_eq!((again.data, again.trailers), (whole.data, whole.trailers));
    }
});
