use proptest::prelude::*;

use super::*;

fn encode(params: &Params, body: &[u8]) -> Vec<u8> {
    crate::fastcgi::encode(params, body).unwrap()
}

const MARK: &[u8] = b"4pUsHzb1c2d3";

fn params(mark: bool) -> Params {
    let mut params = Params(vec![(b"SCRIPT_FILENAME".to_vec(), b"/app/index.php".to_vec())]);
    if mark {
        params.set("HTTP_X_UNLADEN_ABC", MARK);
    }
    params
}

fn sent(sends: &[&[u8]], most: usize) -> Stream {
    let mut stream = Stream::default();
    for send in sends {
        stream.push(send.get(..most).unwrap_or(send), send.len());
    }
    stream
}

#[test]
fn the_marked_one_is_taken_from_a_connection_that_is_kept() {
    let (other, ours) = (encode(&params(false), b"a=1"), encode(&params(true), b"b=2"));
    let stream = sent(&[&other, &ours, &other], 4096);
    assert_eq!(request_with(&stream, MARK), Some(Taken::Whole { params: params(true), body: b"b=2".to_vec() }));
    assert_eq!(request_with(&sent(&[&other, &other], 4096), MARK), None);
}

#[test]
fn a_connection_whose_beginning_was_not_seen_is_followed_from_the_next_request_on() {
    let ours = encode(&params(true), b"");
    let stream = sent(&[&ours[100..], &ours], 4096);
    assert!(matches!(request_with(&stream, MARK), Some(Taken::Whole { .. })));
}

#[test]
fn what_is_cut_is_told() {
    let mut long = params(true);
    long.set("HTTP_COOKIE", vec![b'c'; 5000]);
    let (cut, body) = (encode(&long, b""), encode(&params(true), &[b'x'; 5000]));
    assert_eq!(request_with(&sent(&[&cut], 4096), MARK), Some(Taken::Cut { what: "parameters", kept: 4096 }));
    assert_eq!(request_with(&sent(&[&body], 4096), MARK), Some(Taken::Cut { what: "body", kept: 4096 }));
    // In sends that are each short enough it is whole.
    let pieces: Vec<&[u8]> = cut.chunks(1000).collect();
    assert!(matches!(request_with(&sent(&pieces, 4096), MARK), Some(Taken::Whole { .. })));
}

#[test]
fn what_has_not_ended_is_cut() {
    let ours = encode(&params(true), b"body");
    assert!(matches!(
        request_with(&sent(&[&ours[..ours.len() - 8]], 4096), MARK),
        Some(Taken::Cut { what: "body", .. })
    ));
}

proptest! {
    #[test]
    fn it_is_whole_however_it_is_sent(piece in 1_usize..5000, body in prop::collection::vec(any::<u8>(), 0..9000)) {
        let ours = encode(&params(true), &body);
        let pieces: Vec<&[u8]> = ours.chunks(piece).collect();
        let taken = request_with(&sent(&pieces, usize::MAX), MARK);
        prop_assert_eq!(taken, Some(Taken::Whole { params: params(true), body }));
    }

    #[test]
    fn any_sends_are_looked_through(sends in prop::collection::vec((any::<Vec<u8>>(), 0_usize..100_000), 0..5), begins: bool) {
        let mut stream = Stream::default();
        if begins {
            let ours = encode(&params(true), b"");
            stream.push(&ours, ours.len());
        }
        for (seen, sent) in &sends {
            stream.push(seen, *sent);
        }
        prop_assert_eq!(request_with(&stream, MARK).is_some(), begins);
    }
}
