use proptest::prelude::*;

use super::*;
use crate::params::Params;

/// The records: type and content of each.
fn records(mut bytes: &[u8]) -> Vec<(u8, Vec<u8>)> {
    let mut records = Vec::new();
    while !bytes.is_empty() {
        let header = Header::read(bytes).unwrap().unwrap();
        assert_eq!((header.request, bytes.len() % 8), (7, 0), "records are aligned");
        let (length, padding) = (usize::from(header.length), usize::from(header.padding));
        records.push((header.kind, bytes[HEADER..][..length].to_vec()));
        bytes = &bytes[HEADER + length + padding..];
    }
    records
}

#[test]
fn a_small_request() {
    let mut out = Vec::new();
    let mut request = RequestWriter::begin(&mut out, 7, true);
    request.param(b"A", b"b").unwrap();
    request.param(b"EMPTY", b"").unwrap();
    request.end();
    end_of_stdin(&mut out, 7);
    let expected = vec![
        (BEGIN_REQUEST, vec![0, 1, 1, 0, 0, 0, 0, 0]),
        (PARAMS, b"\x01\x01Ab\x05\0EMPTY".to_vec()),
        (PARAMS, vec![]),
        (STDIN, vec![]),
    ];
    assert_eq!(records(&out), expected);
}

#[test]
fn without_parameters_their_stream_ends_once() {
    let mut out = Vec::new();
    RequestWriter::begin(&mut out, 7, false).end();
    assert_eq!(records(&out), [(BEGIN_REQUEST, vec![0, 1, 0, 0, 0, 0, 0, 0]), (PARAMS, vec![])]);
}

#[test]
fn one_that_does_not_fit_is_refused_and_leaves_nothing() {
    let mut out = Vec::new();
    let mut request = RequestWriter::begin(&mut out, 7, false);
    let most = vec![b'x'; MOST_CONTENT - 6];
    assert_eq!(request.param(b"AB", &most), Err(ParamTooLong { length: MOST_CONTENT + 1 }));
    request.param(b"A", &most).unwrap();
    request.param(b"B", b"c").unwrap();
    request.end();
    let records = records(&out);
    assert_eq!(records.iter().map(|(_, content)| content.len()).collect::<Vec<_>>(), [8, MOST_CONTENT, 4, 0]);
}

proptest! {
    #[test]
    fn each_record_is_read_by_itself(
        pairs in prop::collection::vec((prop::collection::vec(any::<u8>(), 0..200), 0_usize..40_000), 0..8),
    ) {
        let pairs: Vec<_> = pairs.into_iter().map(|(name, length)| (name, vec![b'\n'; length])).collect();
        let mut out = Vec::new();
        let mut request = RequestWriter::begin(&mut out, 7, false);
        for (name, value) in &pairs {
            request.param(name, value).unwrap();
        }
        request.end();
        let records = records(&out);
        let (last, params) = records[1..].split_last().unwrap();
        prop_assert_eq!(last, &(PARAMS, vec![]));
        let mut read = Vec::new();
        for (kind, content) in params {
            prop_assert_eq!(*kind, PARAMS);
            prop_assert!(!content.is_empty());
            read.extend(Params::decode(content).unwrap().0);
        }
        prop_assert_eq!(read, pairs);
    }
}
