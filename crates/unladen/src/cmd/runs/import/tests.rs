use std::path::Path;

use unladen_store::{Filter, Location};

use super::*;

const SMALL: Batch = Batch { runs: 3, bytes: 1 << 20 };

fn lines(text: &str) -> Result<Lines, String> {
    Lines::copied(&mut text.as_bytes(), "runs.jsonl".to_owned(), 0).map_err(|error| error.to_string())
}

/// A line of an export: a load of this minute.
fn line(minute: u32, p50: u64) -> String {
    format!(
        r#"{{"schema": "unladen.run/1", "document": {{"schema": "unladen.load/1", "target": "http://a/", "time": "2026-11-23T05:{minute:02}:00Z", "latency_ns": {{"p50": {p50}}}}}}}"#
    )
}

fn text(lines: impl IntoIterator<Item = String>) -> String {
    lines.into_iter().map(|line| line + "\n").collect()
}

fn store() -> (tempfile::TempDir, Box<dyn Store>) {
    let folder = tempfile::tempdir().unwrap();
    let location = Location::Sqlite(folder.path().join("runs.sqlite"));
    (folder, unladen_store::open(&location, Mode::ReadWrite).unwrap())
}

/// Imports, and says how many were kept and how many were there.
fn import(store: &mut dyn Store, text: &str, batch: Batch) -> (usize, usize) {
    let mut told = Told::default();
    keep(store, &mut lines(text).unwrap(), batch, &mut told).unwrap();
    (told.kept.len(), told.there)
}

#[test]
fn lines_and_documents_are_read() {
    let document = r#"{"schema": "unladen.weigh/1", "target": "http://a/", "ended": "complete"}"#;
    let line = format!(r#"{{"schema": "unladen.run/1", "document": {document}, "evidence": {{"a": 1}}}}"#);
    let mut read = lines(&format!("{line}\n\n{line}\n")).unwrap();
    let run = read.run(1).unwrap();
    assert_eq!((run.verb.as_str(), run.evidence.as_deref()), ("weigh", Some(&br#"{"a": 1}"#[..])));
    assert_eq!((read.batch(0, 9, 1 << 20), read.batch(2, 9, 1 << 20)), (Some(2), None));
    let pretty = format!("{:#}\n", serde_json::from_str::<serde_json::Value>(document).unwrap());
    let mut read = lines(&pretty).unwrap();
    let run = read.run(0).unwrap();
    assert_eq!((run.target.as_str(), run.time_ns, read.batch(0, 9, 1)), ("http://a/", 0, Some(1)));
    assert_eq!(lines("").unwrap().batch(0, 9, 1), None);
}

#[test]
fn what_is_no_run_is_told_with_its_line() {
    let empty = r#"{"schema": "unladen.run/1", "document": {"schema": "unladen.load/1"}}"#;
    assert!(lines(empty).unwrap_err().contains("no `target`"));
    let document = r#"{"schema": "unladen.run/1", "document": {"schema": "unladen.load/1", "target": "http://a/"}}"#;
    let said = lines(&format!("{document}\nnonsense\n")).unwrap_err();
    assert!(said.starts_with("runs.jsonl:2: "), "{said}");
    assert!(lines("nonsense").unwrap_err().starts_with("runs.jsonl:1: "));
    assert!(lines(r#"{"schema": "unladen.run/1", "document": {"schema": "other/1"}}"#).is_err());
    let said = lines(&format!("{document}\n{{\"schema\": \"unladen.run/2\", \"document\": {{}}}}\n")).unwrap_err();
    assert!(said.contains("`unladen.run/2` is not the schema of a run"), "{said}");
}

/// A file that was imported twice made runs that vary by nothing, and small noise looked like a difference.
#[test]
fn a_run_is_kept_once() {
    let (_folder, mut store) = store();
    let file = text([line(1, 1), line(1, 2), line(1, 1), line(2, 1)]);
    assert_eq!(import(store.as_mut(), &file, Batch::USUAL), (3, 1));
    // However it is set.
    let spaced = file.replace(r#"{"p50": 2}"#, r#"{ "p50" :2 }"#);
    assert_eq!(import(store.as_mut(), &spaced, SMALL), (0, 4));
    let more = format!("{file}{}\n", line(2, 2));
    assert_eq!(import(store.as_mut(), &more, SMALL), (1, 4));
}

/// Of the runs of one time, 100 were looked at: of a longer file without times, which all are of its own, the rest was kept
/// once more with each import.
#[test]
fn runs_of_one_time_are_kept_once_however_many_there_are() {
    let (_folder, mut store) = store();
    let file = text((0..250).map(|p50| line(1, p50)));
    let batch = Batch { runs: 40, ..SMALL };
    assert_eq!(import(store.as_mut(), &file, batch), (250, 0));
    assert_eq!(import(store.as_mut(), &file, batch), (0, 250));
    // Twins in two batches of a file.
    let (_folder, mut store) = self::store();
    assert_eq!(import(store.as_mut(), &format!("{file}{file}"), batch), (250, 250));
}

#[test]
fn numbers_grow_with_time_over_all_batches() {
    let (_folder, mut store) = store();
    // An export has the newest first.
    assert_eq!(import(store.as_mut(), &text((0..10).rev().map(|minute| line(minute, 1))), SMALL), (10, 0));
    let ids: Vec<u64> = store.list(&Filter::default()).unwrap().iter().map(|run| run.id.get()).collect();
    assert_eq!(ids, (1..=10).rev().collect::<Vec<_>>());
}

#[test]
fn a_batch_is_bounded_in_bytes_too() {
    let one = line(1, 1).len() as u64 + 1;
    let read = lines(&text((0..5).map(|minute| line(minute, 1)))).unwrap();
    assert_eq!(read.batch(0, 9, 2 * one + 1), Some(2));
    assert_eq!(read.batch(2, 9, 1), Some(3));
    assert_eq!(read.batch(3, 9, 9 * one), Some(5));
}

#[test]
fn a_pipe_is_read_as_a_file_is() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let writer = std::thread::spawn({
        let pipe = pipe.clone();
        move || std::fs::write(pipe, text([line(2, 1), line(1, 1)]))
    });
    let mut read = Lines::of(Path::new(&pipe)).unwrap();
    writer.join().unwrap().unwrap();
    assert_eq!(read.batch(0, 9, 1 << 20), Some(2));
    assert!(read.run(0).unwrap().time_ns < read.run(1).unwrap().time_ns);
}

#[test]
fn what_was_imported_is_told() {
    let id = RunId::new(7).unwrap();
    let text = |kept: &[RunId], there| Told { kept: kept.to_vec(), there }.text();
    assert_eq!(text(&[id], 0), "kept as run 7");
    assert_eq!(text(&[], 2), "nothing was kept; 2 runs were in the store already");
    assert_eq!(text(&[], 0), "nothing was kept: the files are empty");
}
