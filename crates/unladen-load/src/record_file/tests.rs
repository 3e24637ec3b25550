use super::*;
use crate::record::tests::any_record;
use proptest::prelude::*;

fn head() -> RecordHead {
    RecordHead { target: "http://localhost/".into(), requests: vec!["main page".into()], ..RecordHead::default() }
}

fn written(records: &[RequestRecord]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("load.records");
    let mut writer = RecordWriter::new(&file, File::create(&file).unwrap(), &head()).unwrap();
    records.iter().for_each(|record| writer.write(record).unwrap());
    writer.end(&RecordEnd { unsent: 7, ..RecordEnd::default() }).unwrap();
    std::fs::read(&file).unwrap()
}

fn read(bytes: &[u8]) -> Result<(Vec<RequestRecord>, Option<RecordEnd>), RecordError> {
    let mut reader = RecordReader::new(bytes, Path::new("load.records"))?;
    let records = reader.by_ref().collect::<Result<_, _>>()?;
    Ok((records, reader.end().cloned()))
}

fn record(planned_ns: u64) -> RequestRecord {
    RequestRecord {
        request: 0,
        planned_ns,
        lag_ns: None,
        sent_ns: Some(3),
        first_byte_ns: None,
        latency_ns: 9,
        status: Some(200),
        body_bytes: 5,
        reused: true,
        retried: false,
        changed: false,
        error: None,
    }
}

#[test]
fn several_sections_are_read_in_their_order() {
    let records: Vec<_> = (0..10_000).map(|turn| record(turn * 1_000)).collect();
    let (read, end) = read(&written(&records)).unwrap();
    assert_eq!(read, records);
    assert_eq!(end.unwrap().unsent, 7);
}

#[test]
fn a_file_that_was_cut_off_is_read_up_to_there() {
    let records: Vec<_> = (0..10_000).map(|turn| record(turn * 1_000)).collect();
    let bytes = written(&records);
    let (read, end) = read(&bytes[..bytes.len() * 2 / 3]).unwrap();
    assert!(!read.is_empty() && read.len() < records.len() && end.is_none());
    assert_eq!(read, records[..read.len()]);
}

/// A section that was cut off was left out as a whole: up to 4,096 records, nearly two minutes at 40 a second.
#[test]
fn of_a_section_that_was_cut_off_every_whole_record_is_read() {
    let records: Vec<_> = (0..100).map(|turn| record(turn * 1_000)).collect();
    let bytes = written(&records);
    let sections = bytes.len() - written(&[]).len();
    let begin = bytes.windows(2).position(|pair| pair == [b'}', b'R']).unwrap() + 1;
    let mut counts = Vec::new();
    for length in begin..begin + sections {
        let (read, end) = read(&bytes[..length]).unwrap();
        assert_eq!(read, records[..read.len()], "{length}");
        assert!(end.is_none());
        counts.push(read.len());
    }
    assert!(counts.is_sorted() && counts.last() >= Some(&99), "{counts:?}");
}

#[test]
fn what_was_stored_is_there_before_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("load.records");
    let mut writer = RecordWriter::new(&file, File::create(&file).unwrap(), &head()).unwrap();
    writer.write(&record(7)).unwrap();
    writer.store().unwrap();
    writer.write(&record(9)).unwrap();
    let (read, end) = read(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!((read, end), (vec![record(7)], None));
}

#[test]
fn other_files_are_refused() {
    for other in [&b""[..], b"unladen.record/2\nH", b"GET / HTTP/1.1\r\n"] {
        let error = read(other).unwrap_err().to_string();
        assert!(error.starts_with("load.records contains no records"), "{error}");
    }
    let mut bytes = written(&[record(1)]);
    let end = bytes.len();
    let place = bytes.windows(2).rposition(|pair| pair[0] == b'E' && pair[1] < 0x80).unwrap_or(end - 1);
    bytes[place] = b'X';
    assert!(matches!(read(&bytes), Err(RecordError::Damaged { .. }) | Ok((_, None))));
}

#[test]
fn a_length_beyond_all_bounds_takes_no_memory() {
    let mut bytes = written(&[]);
    bytes.truncate(MAGIC.len());
    bytes.extend_from_slice(b"H\xff\xff\xff\x1f{}");
    assert!(read(&bytes).is_err());
}

proptest! {
    #[test]
    fn any_records_come_back(records in prop::collection::vec(any_record(), 0..50)) {
        prop_assert_eq!(read(&written(&records)).unwrap().0, records);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), flip in 0_usize..200, to in any::<u8>()) {
        let _ = read(&bytes);
        let mut whole = written(&[record(5), record(6)]);
        let at = flip % whole.len();
        whole[at] = to;
        let _ = read(&whole);
    }
}
