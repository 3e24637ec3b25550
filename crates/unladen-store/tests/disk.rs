//! File systems that are full, read-only or someone else's.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a test that cannot be set up fails")]
mod suite;

use std::io::Write;
use std::os::unix::fs::chown;
use std::path::Path;
use std::process::{Command, Stdio};

use suite::runs::{ids, run};
use unladen_store::{Filter, Location, Mode, NewRun, RunId, Store, StoreError, open};

/// Which store the second process uses.
const STORE: &str = "UNLADEN_TEST_STORE";

fn at(file: &Path, mode: Mode) -> Result<Box<dyn Store>, StoreError> {
    open(&Location::Sqlite(file.to_owned()), mode)
}

/// Runs a test of this program after a script, among mounts of its own. Without root, or in a container that permits no
/// mounts, the test is left out, and says so; with `UNLADEN_TESTS=all` it fails.
fn among_mounts(script: &str, second: &str, folder: &Path, file: &str) {
    let mut probe = Command::new("unshare");
    probe.args(["--mount", "mount", "-t", "tmpfs", "none", "/mnt"]).stderr(Stdio::null());
    if !probe.status().is_ok_and(|status| status.success()) {
        let why = "it takes root, and a container that permits mount namespaces";
        assert!(
            std::env::var_os("UNLADEN_TESTS").is_none_or(|all| all != "all"),
            "{second} may not be left out: {why}"
        );
        // Not eprintln!, which is shown of failing tests only.
        let _ = writeln!(std::io::stderr(), "SKIPPED: {second}: {why}");
        return;
    }
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-ec", &format!("{script}\nexec \"$@\""), "sh"]);
    command.arg(std::env::current_exe().unwrap()).args(["--exact", second, "--ignored", "--nocapture"]);
    let done = command.env(STORE, folder.join(file)).env("FOLDER", folder).output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success() && said.contains("1 passed"), "{said}");
}

fn store_of_test() -> std::path::PathBuf {
    std::env::var_os(STORE).unwrap().into()
}

fn random(bytes: usize, seed: u64) -> NewRun {
    let mut random = fastrand::Rng::with_seed(seed);
    let content: String = std::iter::repeat_with(|| random.alphanumeric()).take(bytes).collect();
    NewRun { document: format!(r#"{{"content": "{content}"}}"#), ..run("weigh", "page", 1) }
}

#[test]
fn a_full_disk_costs_no_run_that_was_kept() {
    let folder = tempfile::tempdir().unwrap();
    // What WAL takes, it takes beside the file: room for both is made.
    for size in ["1m", "3m"] {
        let fill = "head -c 700000 /dev/zero >\"$FOLDER/other\"";
        let script = format!("mount -t tmpfs -o size={size} none \"$FOLDER\"; {fill}");
        among_mounts(&script, "on_a_full_disk", folder.path(), "runs.sqlite");
    }
    // Not even the store itself fits.
    for size in ["4k", "8k", "20k", "40k", "64k"] {
        let script = format!("mount -t tmpfs -o size={size} none \"$FOLDER\"");
        among_mounts(&script, "on_a_tiny_disk", folder.path(), "state/unladen/runs.sqlite");
    }
}

#[test]
#[ignore = "the second process of another test"]
fn on_a_full_disk() {
    let file = store_of_test();
    let mut kept: Vec<RunId> = Vec::new();
    let mut store = at(&file, Mode::ReadWrite).unwrap();
    let error = loop {
        match store.keep(&random(20_000, kept.len() as u64)) {
            Ok(id) => kept.push(id),
            Err(error) => break error,
        }
    };
    assert!(matches!(error, StoreError::Full { .. }), "{error}");
    assert!(!kept.is_empty());
    let whole = |store: &mut dyn Store, kept: &[RunId]| {
        let mut found = ids(&store.list(&Filter::default()).unwrap());
        found.reverse();
        assert_eq!(found, kept);
        for (seed, id) in kept.iter().enumerate() {
            assert_eq!(store.run(*id).unwrap().document, random(20_000, seed as u64).document);
        }
    };
    whole(&mut *store, &kept);
    drop(store);
    whole(&mut *at(&file, Mode::ReadOnly).unwrap(), &kept);
    // It goes on once there is room.
    let mut store = at(&file, Mode::ReadWrite).unwrap();
    std::fs::remove_file(file.with_file_name("other")).unwrap();
    kept.push(store.keep(&random(20_000, kept.len() as u64)).unwrap());
    whole(&mut *store, &kept);
    assert_eq!(store.remove(&kept).unwrap(), kept.len());
    drop(store);
    // The room of removed runs is the disk's again.
    assert!(file.metadata().unwrap().len() < 100_000, "{}", file.metadata().unwrap().len());
}

#[test]
#[ignore = "the second process of another test"]
fn on_a_tiny_disk() {
    let file = store_of_test();
    let error = match at(&file, Mode::ReadWrite) {
        Ok(mut store) => store.keep(&random(200_000, 1)).unwrap_err(),
        Err(error) => error,
    };
    assert!(matches!(error, StoreError::Full { .. }), "{error:?}");
}

#[test]
fn a_read_only_file_system_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let name = "a store? 100 %#.sqlite";
    at(&folder.path().join(name), Mode::ReadWrite).unwrap().keep(&random(100, 1)).unwrap();
    let script = "mount --bind \"$FOLDER\" \"$FOLDER\"; mount -o remount,bind,ro \"$FOLDER\"";
    among_mounts(script, "on_a_read_only_file_system", folder.path(), name);
}

#[test]
#[ignore = "the second process of another test"]
fn on_a_read_only_file_system() {
    let file = store_of_test();
    let mut store = at(&file, Mode::ReadOnly).unwrap();
    let listed = store.list(&Filter::default()).unwrap();
    assert_eq!(store.run(listed[0].id).unwrap().document, random(100, 1).document);
    let error = at(&file, Mode::ReadWrite).map(|store| store.shown().to_owned()).unwrap_err();
    assert!(matches!(error, StoreError::NoAccess { .. }) && error.to_string().contains("Read-only"), "{error}");
    let beside = file.with_file_name("state/unladen/runs.sqlite");
    let error = at(&beside, Mode::ReadWrite).map(|store| store.shown().to_owned()).unwrap_err();
    assert!(matches!(error, StoreError::NoAccess { .. }) && error.to_string().contains("Read-only"), "{error}");
}

#[test]
fn a_file_of_another_user_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("runs.sqlite");
    at(&file, Mode::ReadWrite).unwrap().keep(&random(100, 1)).unwrap();
    let is_root = chown(&file, Some(65_534), None).is_ok();
    assert!(is_root, "the test gives a file to another user: run it as root");
    let error = at(&file, Mode::ReadWrite).map(|store| store.shown().to_owned()).unwrap_err();
    assert!(matches!(error, StoreError::ForeignOwner { owner: 65_534, user: 0, .. }), "{error}");
    assert_eq!(at(&file, Mode::ReadOnly).unwrap().count(&Filter::default()).unwrap(), 1);
    // A journal that someone else has put there would be played into the store.
    for ending in ["", "-wal", "-shm"] {
        let left = folder.path().join(format!("runs.sqlite{ending}"));
        assert!(!left.exists() || chown(&left, Some(0), None).is_ok());
    }
    let journal = folder.path().join("runs.sqlite-journal");
    std::fs::write(&journal, "").unwrap();
    chown(&journal, Some(65_534), None).unwrap();
    let error = at(&file, Mode::ReadWrite).map(|store| store.shown().to_owned()).unwrap_err();
    assert!(matches!(error, StoreError::ForeignOwner { .. }) && error.to_string().contains("-journal"), "{error}");
}
