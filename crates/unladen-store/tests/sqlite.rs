//! Stores of SQLite.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot be set up fails, and says where"
)]
mod suite;

use std::path::Path;
use std::thread;

use suite::SUITE;
use suite::runs::{ids, run};
use unladen_store::{Filter, Location, Mode, RunId, Store, StoreError, open};

fn at(file: &Path, mode: Mode) -> Result<Box<dyn Store>, StoreError> {
    open(&Location::Sqlite(file.to_owned()), mode)
}

#[test]
fn what_every_store_does() {
    for (name, test) in SUITE {
        let folder = tempfile::tempdir().unwrap();
        println!("{name}");
        test(&mut *at(&folder.path().join("runs.sqlite"), Mode::ReadWrite).unwrap());
    }
}

#[test]
fn writers_at_once_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("runs.sqlite");
    let kept: Vec<Vec<RunId>> = thread::scope(|scope| {
        let write = |thread: i64| {
            let file = &file;
            move || -> Vec<RunId> {
                // The first of them makes the store, as the others wait.
                let mut store = at(file, Mode::ReadWrite).unwrap();
                (0..15).map(|time| store.keep(&run("weigh", "page", thread * 100 + time)).unwrap()).collect()
            }
        };
        let threads: Vec<_> = (0..4).map(|thread| scope.spawn(write(thread))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let mut store = at(&file, Mode::ReadOnly).unwrap();
    let mut found = ids(&store.list(&Filter::default()).unwrap());
    found.sort_unstable();
    let mut kept = kept.concat();
    kept.sort_unstable();
    assert_eq!(found, kept);
    assert_eq!(kept.len(), 60);
}

#[test]
fn a_reader_sees_what_is_kept_meanwhile_and_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("runs.sqlite");
    let mut writer = at(&file, Mode::ReadWrite).unwrap();
    let mut reader = at(&file, Mode::ReadOnly).unwrap();
    let id = writer.keep(&run("weigh", "page", 1)).unwrap();
    assert_eq!(ids(&reader.list(&Filter::default()).unwrap()), [id]);
    let error = reader.keep(&run("weigh", "page", 1)).unwrap_err();
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error}");
    let error = reader.remove(&[id]).unwrap_err();
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error}");
    assert_eq!(reader.count(&Filter::default()).unwrap(), 1);
}
