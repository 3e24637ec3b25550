//! A writer that is killed at any moment leaves a whole store, with every run that it was told is kept.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a test that cannot be set up fails")]
mod suite;

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use suite::runs::run;
use unladen_store::{Filter, Location, Mode, NewRun, RunId, Store, open};

/// Which store the second process writes to.
const STORE: &str = "UNLADEN_TEST_STORE";
/// What its runs begin with.
const SEED: &str = "UNLADEN_TEST_SEED";

fn at(file: &Path, mode: Mode) -> Box<dyn Store> {
    open(&Location::Sqlite(file.to_owned()), mode).unwrap()
}

/// The run of this name, of some hundred bytes or many pages, and the same each time.
fn named(name: u64) -> NewRun {
    let mut random = fastrand::Rng::with_seed(name);
    let length = if random.bool() { random.usize(..200) } else { random.usize(..120_000) };
    let content: String = std::iter::repeat_with(|| random.alphanumeric()).take(length).collect();
    NewRun {
        labels: BTreeMap::from([("name".to_owned(), name.to_string())]),
        document: format!(r#"{{"content": "{content}"}}"#),
        evidence: random.bool().then(|| content.into_bytes()),
        ..run("weigh", "page", 1)
    }
}

/// No test of its own: what the test below starts and kills. It says what is kept only when it is.
#[test]
#[ignore = "the second process of another test"]
fn second_process() {
    let mut store = at(Path::new(&std::env::var_os(STORE).unwrap()), Mode::ReadWrite);
    let seed: u64 = std::env::var(SEED).unwrap().parse().unwrap();
    for name in seed..seed + 1_000_000 {
        println!("kept {} {name}", store.keep(&named(name)).unwrap());
    }
}

fn start(file: &Path, seed: u64) -> Child {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "second_process", "--ignored", "--nocapture"]);
    child.env(STORE, file).env(SEED, seed.to_string());
    child.stdout(Stdio::piped()).spawn().unwrap()
}

/// What it said is kept, by whole lines: number and name.
fn killed(mut child: Child) -> Vec<(RunId, u64)> {
    child.kill().unwrap();
    child.wait().unwrap();
    let mut said = String::new();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    let lines = said.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
    let kept = lines.filter_map(|line| line.split_once("kept ")).map(|(_, kept)| kept.split_once(' ').unwrap());
    kept.map(|(id, name)| (id.parse().unwrap(), name.parse().unwrap())).collect()
}

fn is_whole(file: &Path) {
    let connection = rusqlite::Connection::open(file).unwrap();
    let checked: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(checked, "ok");
    let broken: i64 =
        connection.query_row("SELECT count(*) FROM pragma_foreign_key_check", [], |row| row.get(0)).unwrap();
    assert_eq!(broken, 0);
}

#[test]
fn a_writer_killed_at_any_moment_leaves_a_whole_store() {
    let mut random = fastrand::Rng::new();
    println!("seed {}", random.get_seed());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("runs.sqlite");
    let mut kept: Vec<(RunId, u64)> = Vec::new();
    for round in 0..20 {
        let children = [round * 2, round * 2 + 1].map(|seed| start(&file, seed * 1_000_000));
        sleep(Duration::from_millis(random.u64(0..120)));
        let before = kept.len();
        for child in children {
            kept.extend(killed(child));
        }
        // As the next user finds it, journal and all: who reads, as who writes. The very first may not have made it.
        if let Ok(mut store) = open(&Location::Sqlite(file.clone()), Mode::ReadOnly) {
            for (id, name) in &kept[before..] {
                assert_eq!(store.run(*id).unwrap().document, named(*name).document, "run {id}");
            }
        } else {
            assert!(kept.is_empty(), "a reader cannot open what was kept");
        }
        let mut store = at(&file, Mode::ReadWrite);
        for (id, name) in &kept[before..] {
            let (found, expected) = (store.run(*id).unwrap(), named(*name));
            assert_eq!(found.document, expected.document, "run {id}");
            assert_eq!(store.evidence(*id).unwrap(), expected.evidence, "run {id}");
        }
        // At most one run of each process was kept without word of it.
        let count = usize::try_from(store.count(&Filter::default()).unwrap()).unwrap();
        assert!((kept.len()..=kept.len() + 2 * (usize::try_from(round).unwrap() + 1)).contains(&count), "{count}");
        is_whole(&file);
    }
    assert!(kept.len() > 20, "only {} runs in all", kept.len());
    let mut store = at(&file, Mode::ReadOnly);
    for (id, name) in &kept {
        let expected = BTreeMap::from([("name".to_owned(), name.to_string())]);
        assert_eq!(store.run(*id).unwrap().summary.labels, expected);
    }
}

#[test]
fn a_store_whose_maker_was_killed_is_made_by_the_next() {
    let mut random = fastrand::Rng::new();
    println!("seed {}", random.get_seed());
    for _ in 0..30 {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("state/runs.sqlite");
        let child = start(&file, 5);
        sleep(Duration::from_micros(random.u64(0..40_000)));
        let kept = killed(child);
        let mut store = at(&file, Mode::ReadWrite);
        for (id, name) in kept {
            assert_eq!(store.run(id).unwrap().document, named(name).document);
        }
        store.keep(&named(1)).unwrap();
        is_whole(&file);
    }
}
