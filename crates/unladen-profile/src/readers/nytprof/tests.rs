use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use proptest::prelude::*;

use super::*;

const HEADER: &[u8] = b"NYTProf 5 0\n:nv_size=8\n:ticks_per_sec=1000\n";

fn read(bytes: &[u8]) -> Result<Profile, String> {
    let mut bytes = bytes;
    NytProf.read(&mut Input::new(&mut bytes)).map_err(|error| error.to_string())
}

fn with_header(records: &[u8]) -> Vec<u8> {
    [HEADER, records].concat()
}

/// A return at a depth from 1 on, after a time in ticks.
fn returned(depth: u8, ticks: f64, sub: &str) -> Vec<u8> {
    let times = [1.0f64.to_ne_bytes(), ticks.to_ne_bytes()].concat();
    [&[b'<', depth][..], &times, &[b'\'', sub.len() as u8], sub.as_bytes()].concat()
}

fn entered(line: u8) -> Vec<u8> {
    vec![b'>', 1, line]
}

fn process(records: &[Vec<u8>]) -> Vec<u8> {
    let time = 1.0f64.to_ne_bytes();
    let mut bytes = with_header(&[&[b'P', 7, 1][..], &time].concat());
    bytes.extend(records.concat());
    bytes.extend([&[b'p', 7][..], &time].concat());
    bytes
}

fn stacks(profile: &Profile) -> Vec<(String, u64)> {
    let name = |frame| profile.frames.get(frame).name.to_owned();
    let path = |stack| profile.stacks.outwards_in(stack).into_iter().map(name).collect::<Vec<_>>().join(";");
    profile.clusters.iter().flat_map(|cluster| &cluster.weights).map(|(stack, ns)| (path(*stack), *ns)).collect()
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let at = HEADER.len();
    let infinite = [&[b'<', 1][..], &1.0f64.to_ne_bytes(), &f64::INFINITY.to_ne_bytes()].concat();
    let cases: Vec<(Vec<u8>, usize, &str)> = vec![
        (b"NYTProf 6 1\n".to_vec(), 12, "version 6 1 is not known"),
        (b"NYTProf 5".to_vec(), 9, "cut off"),
        (b"NYTProf 5 0\n:nv_size=16\n".to_vec(), 24, "numbers have 16 bytes"),
        (b"NYTProf 5 0\n:ticks_per_sec=0\n".to_vec(), 29, "`0` ticks a second"),
        (b"NYTProf 5 0\n:none\n".to_vec(), 18, "`:name=value`"),
        (HEADER.to_vec(), at, "before any process"),
        (with_header(b"?"), at + 1, "expected a record, found `?`"),
        (with_header(b"\x01"), at + 1, "the byte 0x01"),
        (with_header(&infinite), at + 18, "a time of inf"),
        (with_header(&returned(0, 1.0, "a")), at + 21, "depth 0"),
        (with_header(b"s\x01\"\xff\xff\xff\xff\xff"), at + 8, "a name of 4294967295 bytes"),
        (with_header(b"S\x01\x01'\xff\xff\xff\xff\xff"), at + 9, "a line of 4294967295 bytes"),
        (with_header(b"s\x01x"), at + 3, "expected a string, found `x`"),
        (with_header(b"P\x07\x01\0\0\0\0\0\0\0\0"), at + 11, "process 7 has no end"),
        (with_header(b"zzz"), at, "the deflated data is damaged"),
    ];
    for (bytes, place, what) in cases {
        let error = read(&bytes).unwrap_err();
        assert!(
            error.starts_with(&format!("nytprof, byte {place}: ")) || what.contains("deflated"),
            "{error}, not {place}"
        );
        assert!(error.contains(what), "{error}, not {what}");
    }
}

#[test]
fn a_fault_in_what_is_deflated_is_told_at_both_places() {
    let mut deflate = ZlibEncoder::new(Vec::new(), Compression::best());
    deflate.write_all(&[b'-'; 100_000]).unwrap();
    deflate.write_all(b"?").unwrap();
    let deflated = deflate.finish().unwrap();
    let mut bytes = with_header(b"z");
    bytes.extend(&deflated);
    let error = read(&bytes).unwrap_err();
    assert!(error.contains("expected a record, found `?` (byte 100001 of the inflated data)"), "{error}");
    assert!(error.starts_with(&format!("nytprof, byte {}: ", bytes.len())), "{error}");
}

#[test]
fn what_follows_the_end_was_left_out() {
    let time = 1.0f64.to_ne_bytes();
    let mut deflate = ZlibEncoder::new(Vec::new(), Compression::best());
    let begin = [&[b'P', 7, 1][..], &time].concat();
    let end = [&[b'p', 7][..], &time].concat();
    deflate.write_all(&[begin, returned(1, 2.0, "a"), end].concat()).unwrap();
    let file = [with_header(b"z"), deflate.finish().unwrap()].concat();
    assert_eq!(stacks(&read(&file).unwrap()), [("a".to_owned(), 2_000_000)]);
    let file = [&file[..], b"#\n# Compressed 29 bytes to 26, ratio 1.1:1, data shrunk by 10%\n"].concat();
    assert_eq!(stacks(&read(&file).unwrap()), [("a".to_owned(), 2_000_000)]);
    // More than fits into the first window, too.
    for rest in [file.clone(), b"\0".to_vec(), vec![0; 1 << 20]] {
        let error = read(&[&file[..], &rest].concat()).unwrap_err();
        assert!(error.starts_with(&format!("nytprof, byte {}: expected the end of the file", file.len())), "{error}");
    }
    let plain = process(&[returned(1, 2.0, "a")]);
    let error = read(&plain.repeat(2)).unwrap_err();
    assert!(error.starts_with(&format!("nytprof, byte {}: expected a record, found `N`", plain.len() + 1)), "{error}");
}

#[test]
fn a_caller_that_never_returns_has_its_name_from_the_summary() {
    let caller = [&b"c\x01\x05'\x04loop\x01"[..], &[0; 24], &b"\x00'\x04work"[..]].concat();
    let records = [entered(9), entered(5), returned(2, 3.0, "work"), caller];
    let profile = read(&process(&records)).unwrap();
    assert_eq!(stacks(&profile), [("loop;work".to_owned(), 3_000_000)]);
    // Without it.
    let profile = read(&process(&records[..3])).unwrap();
    assert_eq!(stacks(&profile), [("(did not return);work".to_owned(), 3_000_000)]);
}

#[test]
fn a_time_below_zero_is_none() {
    let profile = read(&process(&[returned(1, -3.0, "a"), returned(1, 2.0, "b")])).unwrap();
    assert_eq!(stacks(&profile), [("b".to_owned(), 2_000_000)]);
    assert_eq!(profile.clusters[0].calls.len(), 2);
}

#[test]
fn a_process_that_waits_again_has_had_a_last_request() {
    let wait = || [entered(3), returned(1, 50.0, "FCGI::Accept")].concat();
    let work = |ticks| [entered(4), returned(1, ticks, "work")].concat();
    // It was ended as it waited, and as it did not.
    for (ends_waiting, requests) in [(true, vec![1, 2]), (false, vec![1])] {
        let mut records = vec![work(9.0), wait(), work(1.0), wait(), work(2.0)];
        if ends_waiting {
            records.push(entered(3));
        }
        let profile = read(&process(&records)).unwrap();
        let totals: Vec<u64> = profile.clusters.iter().map(|cluster| cluster.total() / 1_000_000).collect();
        assert_eq!(totals, requests);
        assert_eq!(profile.requests(), Some(requests.len() as u64));
    }
    // It was ended by a signal as it took another, from where it waits.
    let records = [wait(), work(1.0), wait(), entered(3), entered(9)];
    assert_eq!(read(&process(&records)).unwrap().requests(), Some(1));
}

proptest! {
    #[test]
    fn no_bytes_bring_it_down(changes in prop::collection::vec((0usize..400, any::<u8>()), 1..8), cut in 0usize..400) {
        let wait = [entered(3), returned(2, 50.0, "FCGI::Accept")].concat();
        let records = vec![wait.clone(), entered(1), returned(3, 1.0, "a"), returned(2, 1.0, "b[(eval 3)[x:4]:1]"), wait, returned(1, 1.0, "c")];
        let mut bytes = process(&records);
        for (at, byte) in changes {
            let at = at % bytes.len();
            bytes[at] = byte;
        }
        bytes.truncate(bytes.len().max(400) - cut.min(bytes.len()));
        let _ = read(&bytes);
    }
}
