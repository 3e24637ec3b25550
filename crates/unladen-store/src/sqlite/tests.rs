//! Tests of [`Sqlite`] in bad situations. What every store does is in `tests/suite/`.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::PathBuf;
use std::time::Duration;

use tempfile::TempDir;

use super::*;
use crate::run::NewRun;
use crate::schema::MIGRATIONS;
use crate::store::{Filter, Store};

/// What a test keeps.
fn run(time_ns: i64) -> NewRun {
    NewRun { verb: "weigh".into(), target: "page".into(), time_ns, document: "{}".into(), ..NewRun::default() }
}

/// A run whose document does not shrink.
fn large(bytes: usize) -> NewRun {
    let mut random = fastrand::Rng::with_seed(18);
    let content: String = std::iter::repeat_with(|| random.alphanumeric()).take(bytes).collect();
    NewRun { document: format!("{{\"content\": \"{content}\"}}"), ..run(2) }
}

fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("runs.sqlite");
    (folder, file)
}

/// Why it cannot be opened; without the folder, which is another each time.
fn refusal(file: &Path, mode: Mode) -> String {
    let settings = Settings { busy: Duration::from_millis(50), ..Settings::default() };
    let error = Sqlite::open_with(file, mode, &settings).unwrap_err();
    let folder = file.parent().unwrap().display().to_string();
    error.to_string().replace(&folder, "FOLDER")
}

#[test]
fn folders_and_files_are_their_owners_alone() {
    let (folder, _) = place();
    let file = folder.path().join("state/unladen/runs.sqlite");
    let mut store = Sqlite::open(&file, Mode::ReadWrite).unwrap();
    store.keep(&run(1)).unwrap();
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o7777;
    assert_eq!(mode(&folder.path().join("state")), 0o700);
    assert_eq!(mode(&folder.path().join("state/unladen")), 0o700);
    for ending in ["", "-wal", "-shm"] {
        assert_eq!(mode(&file::beside(&file, ending)), 0o600, "{ending}");
    }
    drop(store);
    assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1, "nothing is left beside it");
}

#[test]
fn files_are_in_wal_mode_and_wait_for_the_disk() {
    let (_folder, file) = place();
    let store = Sqlite::open(&file, Mode::ReadWrite).unwrap();
    let number = |pragma| -> i64 { store.connection.pragma_query_value(None, pragma, |row| row.get(0)).unwrap() };
    let mode: String = store.connection.pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
    assert_eq!((mode.as_str(), number("synchronous"), number("foreign_keys")), ("wal", 2, 1));
    assert_eq!((number("user_version"), number("application_id")), (1, opening::APPLICATION));
    assert_eq!((number("auto_vacuum"), number("busy_timeout")), (2, 5000));
}

#[test]
fn what_is_not_a_store_is_said_and_stays_as_it_is() {
    let (folder, file) = place();
    fs::write(&file, "not a database, but long enough to have the header of one, were it one").unwrap();
    let said = refusal(&file, Mode::ReadWrite);
    insta::assert_snapshot!(said, @"FOLDER/runs.sqlite is not a store of runs (it is not a database of SQLite): it is \
        left unchanged; name another store with --store");
    assert_eq!(refusal(&file, Mode::ReadOnly), said);
    assert!(fs::read_to_string(&file).unwrap().starts_with("not a database"));

    let other = folder.path().join("other.sqlite");
    Connection::open(&other).unwrap().execute_batch("CREATE TABLE bookmarks (url)").unwrap();
    let before = fs::read(&other).unwrap();
    let said = refusal(&other, Mode::ReadWrite);
    insta::assert_snapshot!(said, @"FOLDER/other.sqlite is not a store of runs (it is a database of another program): \
        it is left unchanged; name another store with --store");
    assert_eq!(refusal(&other, Mode::ReadOnly), said);
    assert!(fs::read(&other).unwrap() == before, "not even its mode has changed");

    let link = folder.path().join("link.sqlite");
    symlink(folder.path().join("elsewhere"), &link).unwrap();
    insta::assert_snapshot!(refusal(&link, Mode::ReadWrite), @"FOLDER/link.sqlite is a symbolic link, which a store \
        must not be: name the file that it leads to");
    assert!(!folder.path().join("elsewhere").exists());

    let inner = folder.path().join("inner");
    fs::create_dir(&inner).unwrap();
    insta::assert_snapshot!(refusal(&inner, Mode::ReadWrite), @"FOLDER/inner is not a file: name a file for the store");

    let below = other.join("runs.sqlite");
    let said = refusal(&below, Mode::ReadWrite);
    assert!(said.starts_with("FOLDER: ") && said.contains("name another store with --store"), "{said}");
    assert!(refusal(Path::new("/proc/unladen/runs.sqlite"), Mode::ReadWrite).contains("No such file"));
    let none = Sqlite::open(Path::new(""), Mode::ReadWrite).unwrap_err();
    assert!(matches!(none, StoreError::NoHome), "{none}");
}

/// Links on the way to it are the user's own: a home on another disk, say.
#[test]
fn a_folder_may_be_a_link() {
    let (folder, _) = place();
    fs::create_dir(folder.path().join("disk")).unwrap();
    symlink("disk", folder.path().join("state")).unwrap();
    let mut store = Sqlite::open(&folder.path().join("state/runs.sqlite"), Mode::ReadWrite).unwrap();
    store.keep(&run(1)).unwrap();
    assert!(folder.path().join("disk/runs.sqlite").exists());
}

#[test]
fn a_reader_makes_nothing() {
    let (folder, file) = place();
    let said = refusal(&file, Mode::ReadOnly);
    insta::assert_snapshot!(said, @"no store at FOLDER/runs.sqlite yet: the first measurement creates it");
    let deep = folder.path().join("state/runs.sqlite");
    let error = Sqlite::open(&deep, Mode::ReadOnly).unwrap_err();
    assert!(matches!(error, StoreError::NoStore { .. }), "{error}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    // A writer that was killed in between leaves such a file.
    fs::write(&file, "").unwrap();
    assert_eq!(refusal(&file, Mode::ReadOnly), said);
}

/// As an older and a newer version would have it.
#[test]
fn a_newer_store_is_refused_and_an_older_one_brought_up_to_date() {
    static TWO: [&str; 2] = [MIGRATIONS[0], "ALTER TABLE runs ADD COLUMN colour {text}"];
    let newer = Settings { migrations: &TWO, ..Settings::default() };
    let (_folder, file) = place();
    let id = Sqlite::open(&file, Mode::ReadWrite).unwrap().keep(&run(7)).unwrap();

    let older = Sqlite::open_with(&file, Mode::ReadOnly, &newer).unwrap_err();
    assert!(matches!(older, StoreError::Older { schema: 1, known: 2, .. }), "{older}");
    let mut store = Sqlite::open_with(&file, Mode::ReadWrite, &newer).unwrap();
    assert_eq!(store.run(id).unwrap().summary.time_ns, 7);
    store.connection.execute("UPDATE runs SET colour = 'red'", []).unwrap();
    store.connection.execute("UPDATE store_meta SET value = '0.9.0' WHERE name = 'made_by'", []).unwrap();
    drop(store);

    let said = refusal(&file, Mode::ReadWrite);
    insta::assert_snapshot!(said, @"FOLDER/runs.sqlite was made by unladen 0.9.0 (schema 2; this version knows 1): use that version or a newer one, or name another store with --store");
    assert_eq!(refusal(&file, Mode::ReadOnly), said);
    // Whatever the newer version calls its tables.
    Connection::open(&file).unwrap().execute_batch("DROP TABLE store_meta").unwrap();
    assert!(refusal(&file, Mode::ReadWrite).contains("was made by unladen of an unknown version (schema 2"));
}

#[test]
fn a_migration_that_fails_changes_nothing() {
    static BROKEN: [&str; 2] = [MIGRATIONS[0], "ALTER TABLE runs ADD COLUMN colour {text}; CREATE TABLE runs (id)"];
    let (_folder, file) = place();
    let id = Sqlite::open(&file, Mode::ReadWrite).unwrap().keep(&run(7)).unwrap();
    let broken = Settings { migrations: &BROKEN, ..Settings::default() };
    let error = Sqlite::open_with(&file, Mode::ReadWrite, &broken).unwrap_err();
    assert!(error.to_string().contains("table runs already exists"), "{error}");
    let mut store = Sqlite::open(&file, Mode::ReadWrite).unwrap();
    assert_eq!(store.run(id).unwrap().summary.time_ns, 7);
    assert!(store.connection.prepare("SELECT colour FROM runs").is_err());
}

#[test]
fn a_full_disk_leaves_what_was_kept() {
    let (_folder, file) = place();
    let mut store = Sqlite::open(&file, Mode::ReadWrite).unwrap();
    let id = store.keep(&run(1)).unwrap();
    let pages: i64 = store.connection.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
    store.connection.pragma_update_and_check(None, "max_page_count", pages + 2, |_| Ok(())).unwrap();
    let error = store.keep(&large(100_000)).unwrap_err();
    assert!(matches!(error, StoreError::Full { .. }), "{error}");
    assert_eq!(store.list(&Filter::default()).unwrap().len(), 1);
    store.connection.pragma_update_and_check(None, "max_page_count", 1_000_000, |_| Ok(())).unwrap();
    let second = store.keep(&large(100_000)).unwrap();
    assert_eq!(store.run(second).unwrap().document, large(100_000).document);
    assert_eq!(store.run(id).unwrap().document, "{}");
}

#[test]
fn a_locked_file_is_waited_for_and_said() {
    let (_folder, file) = place();
    let settings = Settings { busy: Duration::from_millis(50), ..Settings::default() };
    let mut store = Sqlite::open_with(&file, Mode::ReadWrite, &settings).unwrap();
    let mut reader = Sqlite::open_with(&file, Mode::ReadOnly, &settings).unwrap();
    let holder = Connection::open(&file).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = store.keep(&run(1)).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("has been locked by another process for more than 0.05 s: end that process, or try again")
    );
    assert_eq!(reader.count(&Filter::default()).unwrap(), 0, "readers are not held up");
    // A writer that comes meanwhile has nothing to make.
    let mut second = Sqlite::open_with(&file, Mode::ReadWrite, &settings).unwrap();
    assert!(matches!(second.remove(&[]), Err(StoreError::Locked { .. })));
    holder.execute_batch("ROLLBACK").unwrap();
    store.keep(&run(1)).unwrap();
}

#[test]
fn a_new_file_that_is_locked_is_said() {
    let (_folder, file) = place();
    fs::write(&file, "").unwrap();
    let holder = Connection::open(&file).unwrap();
    holder.execute_batch("BEGIN EXCLUSIVE").unwrap();
    assert!(refusal(&file, Mode::ReadWrite).contains("has been locked by another process"));
    assert!(refusal(&file, Mode::ReadOnly).contains("has been locked by another process"));
    holder.execute_batch("ROLLBACK").unwrap();
    Sqlite::open(&file, Mode::ReadWrite).unwrap().keep(&run(1)).unwrap();
}

/// SQLite's own way to the disk without shared memory stands for file systems that have none.
#[test]
fn a_file_system_without_shared_memory_has_another_journal() {
    let (_folder, file) = place();
    let bare = Settings { vfs: Some("unix-dotfile"), ..Settings::default() };
    let mut store = Sqlite::open_with(&file, Mode::ReadWrite, &bare).unwrap();
    let mode = |store: &Sqlite| -> String {
        store.connection.pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap()
    };
    assert_eq!(mode(&store), "truncate");
    let mut second = Sqlite::open_with(&file, Mode::ReadWrite, &bare).unwrap();
    let ids = [store.keep(&run(1)).unwrap(), second.keep(&run(2)).unwrap(), store.keep(&run(3)).unwrap()];
    let mut reader = Sqlite::open_with(&file, Mode::ReadOnly, &bare).unwrap();
    assert_eq!(reader.list(&Filter::default()).unwrap().len(), 3);
    drop((store, second, reader));

    // Moved to a file system that has it, and back.
    let mut store = Sqlite::open(&file, Mode::ReadWrite).unwrap();
    assert_eq!(mode(&store), "wal");
    store.keep(&run(4)).unwrap();
    drop(store);
    let mut reader = Sqlite::open_with(&file, Mode::ReadOnly, &bare).unwrap();
    assert_eq!(reader.list(&Filter::default()).unwrap().len(), 4);
    drop(reader);
    let mut store = Sqlite::open_with(&file, Mode::ReadWrite, &bare).unwrap();
    assert_eq!(mode(&store), "truncate");
    assert!(store.run(ids[2]).is_ok());
    store.keep(&run(5)).unwrap();
    assert_eq!(store.count(&Filter::default()).unwrap(), 5);
}

#[test]
fn what_is_not_what_was_kept_is_said() {
    let (_folder, file) = place();
    let mut store = Sqlite::open(&file, Mode::ReadWrite).unwrap();
    let evidence = Some(vec![7; 5000]);
    let ids = store.keep_all(&[large(5000), large(5000), NewRun { evidence, ..large(5000) }, run(1)]).unwrap();
    let execute = |store: &Sqlite, sql: &str| store.connection.execute(sql, []).unwrap();
    let frame = |table: &str| -> Vec<u8> {
        store
            .connection
            .query_row(&format!("SELECT content FROM {table} ORDER BY 1 DESC"), [], |row| row.get(0))
            .unwrap()
    };
    let mut bent = frame("documents");
    let middle = bent.len() / 2;
    bent[middle] ^= 1;
    store
        .connection
        .execute("UPDATE documents SET content = ? WHERE run_id = ?", params![bent, ids[0].column()])
        .unwrap();
    execute(&store, &format!("DELETE FROM documents WHERE run_id = {}", ids[1]));
    execute(&store, &format!("UPDATE runs SET evidence_bytes = 4000000000 WHERE id = {}", ids[2]));
    for id in &ids[..2] {
        let error = store.run(*id).unwrap_err();
        assert!(matches!(&error, StoreError::Damaged { what, .. } if what.contains("documents of run")), "{error}");
    }
    let error = store.evidence(ids[2]).unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    execute(&store, &format!("UPDATE runs SET evidence_bytes = 4999 WHERE id = {}", ids[2]));
    assert!(matches!(store.evidence(ids[2]), Err(StoreError::Damaged { .. })));
    // The others can be read.
    assert!(store.run(ids[2]).is_ok() && store.run(ids[3]).is_ok());
    assert_eq!(store.list(&Filter::default()).unwrap().len(), 4);
}

#[test]
fn a_file_with_broken_pages_does_no_harm() {
    let (_folder, file) = place();
    let mut store = Sqlite::open(&file, Mode::ReadWrite).unwrap();
    store.keep_all(&vec![large(3000); 30]).unwrap();
    drop(store);
    let whole = fs::read(&file).unwrap();
    let mut random = fastrand::Rng::with_seed(7);
    let mut damaged = 0;
    for _ in 0..100 {
        let mut bytes = whole.clone();
        for _ in 0..20 {
            let at = random.usize(100..bytes.len());
            bytes[at] = random.u8(..);
        }
        fs::write(&file, &bytes).unwrap();
        let Ok(mut store) = Sqlite::open(&file, Mode::ReadOnly) else {
            damaged += 1;
            continue;
        };
        let listed = store.list(&Filter::default());
        let all = listed.and_then(|runs| runs.iter().map(|run| store.run(run.id)).collect::<Result<Vec<_>, _>>());
        damaged += i32::from(all.is_err());
    }
    assert!(damaged > 50, "{damaged}");
}

#[test]
fn the_room_of_removed_runs_is_given_back() {
    let (_folder, file) = place();
    let mut store = Sqlite::open(&file, Mode::ReadWrite).unwrap();
    let secret = NewRun { target: "https://host/?token=5EC12E7".into(), ..large(200_000) };
    let mut ids = store.keep_all(&vec![secret; 10]).unwrap();
    let last = store.keep(&run(1)).unwrap();
    ids.retain(|id| *id != last);
    store.remove(&ids).unwrap();
    drop(store);
    let left = file.metadata().unwrap().size();
    assert!(left < 150_000, "{left}");
    let bytes = fs::read(&file).unwrap();
    assert!(!bytes.windows(7).any(|window| window == b"5EC12E7"), "what was removed is not in the file");
    assert!(Sqlite::open(&file, Mode::ReadOnly).unwrap().run(last).is_ok());
}
