//! What an application answers over FastCGI, cut anywhere: the same output, the same head, or the same refusal.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unladen_fastcgi::{Decoder, Fault, Stderr, parse_head};
use unladen_http1::{HeadLimits, Response};

/// Output, what is said besides, and whether the request is over.
type Read = Result<(Vec<u8>, Stderr, bool), Fault>;

/// Reads into one buffer, as a connection is read; of the output so much is used each time.
fn read(pieces: &[&[u8]], used: usize) -> Read {
    let (mut decoder, mut stderr) = (Decoder::new(1), Stderr::default());
    let (mut output, mut buffer, mut ready) = (Vec::new(), Vec::new(), 0);
    for piece in pieces {
        buffer.extend_from_slice(piece);
        let unwrapped = decoder.unwrap(&mut buffer, ready, &mut stderr)?;
        assert!(unwrapped.start + unwrapped.ready + unwrapped.rest <= buffer.len());
        buffer.drain(..unwrapped.start);
        buffer.truncate(unwrapped.ready + unwrapped.rest);
        let used = used.min(unwrapped.ready);
        output.extend(buffer.drain(..used));
        ready = unwrapped.ready - used;
    }
    output.extend(buffer.drain(..ready));
    Ok((output, stderr, decoder.has_ended()))
}

fn head(bytes: &[u8], ended: bool) -> Result<Option<(usize, u16)>, Fault> {
    let mut response = Response::default();
    let length = parse_head(&mut response, bytes, Some(b"GET"), ended, &HeadLimits { bytes: 4096, fields: 32 })?;
    for field in response.fields.iter().filter(|_| length.is_some()) {
        assert!(!field.name.iter().chain(field.value).any(|byte| matches!(byte, b'\r' | b'\n' | 0)));
    }
    Ok(length.map(|length| (length, response.status)))
}

fuzz_target!(|input: (&[u8], Vec<u8>, u8)| {
    let (bytes, cuts, used) = input;
    let whole = read(&[bytes], 0);
    let mut pieces = Vec::new();
    let mut rest = bytes;
    for cut in cuts {
        let (piece, after) = rest.split_at(usize::from(cut).min(rest.len()));
        pieces.push(piece);
        rest = after;
    }
    pieces.push(rest);
    assert_eq!(read(&pieces, usize::from(used)), whole, "however it comes, it is the same");
    let (output, ended) = whole.map_or_else(|_| (bytes.to_vec(), false), |(output, _, ended)| (output, ended));
    if let Ok(Some((length, status))) = head(&output, ended) {
        assert!(length <= output.len() && (200..600).contains(&status));
        assert_eq!(head(&output[..length], false), Ok(Some((length, status))));
        assert_eq!(head(&output[..length - 1], false), Ok(None), "not before its last byte");
    }
});
