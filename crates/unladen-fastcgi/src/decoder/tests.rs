use proptest::prelude::*;

use super::*;
use crate::record::{BEGIN_REQUEST, write_record};

fn header(kind: u8, request: u16, length: u16, padding: u8) -> [u8; HEADER] {
    Header { kind, request, length, padding }.bytes()
}

fn ended(status: u8) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_record(&mut bytes, END_REQUEST, 1, &[0, 0, 0, 0, status, 0, 0, 0]);
    bytes
}

/// All output of bytes that come in pieces, read into one buffer as a connection's are.
fn read(decoder: &mut Decoder, bytes: &[u8], piece: usize, stderr: &mut Stderr) -> Result<(Vec<u8>, usize), Fault> {
    let (mut output, mut buffer, mut ready) = (Vec::new(), Vec::new(), 0);
    for (index, piece) in bytes.chunks(piece.max(1)).enumerate() {
        buffer.extend_from_slice(piece);
        let unwrapped = decoder.unwrap(&mut buffer, ready, stderr)?;
        assert!(unwrapped.start + unwrapped.ready + unwrapped.rest <= buffer.len());
        buffer.drain(..unwrapped.start);
        buffer.truncate(unwrapped.ready + unwrapped.rest);
        ready = unwrapped.ready;
        // Now and then, some of it is used.
        if index % 3 == 0 {
            let used = ready.div_ceil(2);
            output.extend(buffer.drain(..used));
            ready -= used;
        }
    }
    output.extend(buffer.drain(..ready));
    Ok((output, buffer.len()))
}

fn fault(bytes: &[u8]) -> Fault {
    read(&mut Decoder::new(1), bytes, 5, &mut Stderr::default()).unwrap_err()
}

#[test]
fn several_records_are_one_piece_of_output() {
    let mut bytes = Vec::new();
    write_record(&mut bytes, STDOUT, 1, b"one");
    write_record(&mut bytes, STDERR, 1, b"oops");
    write_record(&mut bytes, STDOUT, 1, b"two");
    write_record(&mut bytes, STDOUT, 1, b"");
    bytes.extend(ended(0));
    let (mut decoder, mut stderr) = (Decoder::new(1), Stderr::default());
    let unwrapped = decoder.unwrap(&mut bytes, 0, &mut stderr).unwrap();
    assert_eq!(unwrapped, Unwrapped { start: 8, ready: 6, rest: 0 });
    assert_eq!(&bytes[8..14], b"onetwo");
    assert_eq!((stderr.bytes(), decoder.has_ended(), decoder.refusal()), (&b"oops"[..], true, None));
}

#[test]
fn what_belongs_to_no_request_is_skipped_whatever_it_is() {
    let mut bytes = Vec::new();
    for kind in [0, 2, 10, 11, 99] {
        write_record(&mut bytes, kind, 0, b"of no request");
    }
    bytes.extend(header(STDOUT, 1, 2, 3));
    bytes.extend(b"ok???");
    let (output, rest) = read(&mut Decoder::new(1), &bytes, 7, &mut Stderr::default()).unwrap();
    assert_eq!((&output[..], rest), (&b"ok"[..], 0));
}

#[test]
fn what_no_application_sends_is_refused() {
    assert_eq!(fault(b"HTTP/1.1 400 Bad Request\r\n\r\n"), Fault::Version);
    assert_eq!(fault(b"H"), Fault::Version, "by the first byte");
    for kind in [BEGIN_REQUEST, 2, 4, 5, 8, 9, 12, 255] {
        assert_eq!(fault(&header(kind, 1, 0, 0)), Fault::Kind(kind));
    }
    assert_eq!(fault(&header(STDOUT, 2, 1, 0)), Fault::Request { came: 2, asked: 1 });
    assert_eq!(fault(&[header(STDOUT, 1, 0, 0), header(STDOUT, 1, 1, 0)].concat()), Fault::AfterEnd);
    assert_eq!(fault(&header(END_REQUEST, 1, 7, 1)), Fault::EndLength(7));
    assert_eq!(fault(&ended(4)), Fault::Status(4));
}

#[test]
fn an_application_says_that_it_has_not_taken_the_request() {
    for (status, refusal) in [(1, Refusal::Multiplexed), (2, Refusal::Overloaded), (3, Refusal::Role)] {
        let mut decoder = Decoder::new(1);
        read(&mut decoder, &ended(status), 3, &mut Stderr::default()).unwrap();
        assert_eq!((decoder.has_ended(), decoder.refusal()), (true, Some(refusal)));
    }
}

#[test]
fn what_follows_the_end_is_left() {
    let mut bytes = ended(0);
    bytes.extend(header(STDOUT, 1, 1, 0));
    let mut decoder = Decoder::new(1);
    let (output, rest) = read(&mut decoder, &bytes, 4, &mut Stderr::default()).unwrap();
    assert_eq!((output.len(), rest, decoder.has_ended()), (0, 8, true));
}

proptest! {
    #[test]
    fn output_is_the_same_however_it_is_cut(
        parts in prop::collection::vec((0_usize..3, prop::collection::vec(any::<u8>(), 1..300), 0_u8..9), 0..20),
        piece in 1_usize..600,
    ) {
        let (mut bytes, mut output, mut errors) = (Vec::new(), Vec::new(), Vec::new());
        for (kind, content, padding) in &parts {
            let (kind, request) = [(STDOUT, 1), (STDERR, 1), (11, 0)][*kind];
            bytes.extend(header(kind, request, content.len() as u16, *padding));
            bytes.extend_from_slice(content);
            bytes.extend(vec![0xaa; usize::from(*padding)]);
            match kind {
                STDOUT => output.extend_from_slice(content),
                STDERR => errors.extend_from_slice(content),
                _ => (),
            }
        }
        bytes.extend(ended(0));
        let (mut decoder, mut stderr) = (Decoder::new(1), Stderr::default());
        let (read, rest) = read(&mut decoder, &bytes, piece, &mut stderr).unwrap();
        prop_assert_eq!(read, output);
        prop_assert_eq!(rest, 0);
        prop_assert!(decoder.has_ended());
        prop_assert!(errors.starts_with(stderr.bytes()));
    }

    #[test]
    fn any_bytes_are_output_or_a_fault_however_they_are_cut(bytes: Vec<u8>, piece in 1_usize..50) {
        let of = |piece| {
            let mut decoder = Decoder::new(1);
            read(&mut decoder, &bytes, piece, &mut Stderr::default()).map(|(output, _)| (output, decoder.has_ended()))
        };
        prop_assert_eq!(of(piece), of(bytes.len()));
    }
}

#[test]
fn what_is_kept_is_bounded_and_one_line() {
    let mut stderr = Stderr::default();
    assert!(stderr.is_empty() && stderr.line().is_empty());
    stderr.push(b"PHP message: PHP Fatal error:\r\n  Uncaught \x1b[31mError\xff\0\n\n");
    assert_eq!(stderr.line(), "PHP message: PHP Fatal error: Uncaught [31mError\u{fffd}");
    assert!(stderr.says(b"Fatal") && !stderr.says(b"Primary"));
    stderr.push(&[b'x'; 3 * MOST]);
    stderr.push(b"more");
    assert_eq!(stderr.bytes().len(), MOST);
    assert!(stderr.line().ends_with(" bytes more)"), "{}", stderr.line());
    stderr.clear();
    assert_eq!(stderr, Stderr::default());
}
