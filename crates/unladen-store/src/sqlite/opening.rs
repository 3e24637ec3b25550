//! The principal type is [`Opening`]: opens a connection to a path, and upgrades the tables of the file, completely or
//! not at all. [`Told`] translates SQLite's errors.

use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, Error, ErrorCode, OpenFlags, OptionalExtension, TransactionBehavior, ffi};

use super::file;
use crate::schema::{Words, missing, version};
use crate::store::Mode;
use crate::store_error::StoreError;

#[derive(Clone, Debug)]
pub(super) struct Settings {
    /// Maximum wait for another process.
    pub(super) busy: Duration,
    /// SQLite's access to the disk; `None` for the system's default.
    pub(super) vfs: Option<&'static str>,
    pub(super) migrations: &'static [&'static str],
}

// === impl Settings ===

impl Settings {
    /// A run takes milliseconds to write; the largest evidence takes a second.
    pub(super) const BUSY: Duration = Duration::from_secs(5);
}

impl Default for Settings {
    fn default() -> Self {
        Self { busy: Self::BUSY, vfs: None, migrations: crate::schema::MIGRATIONS }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Told {
    store: String,
    busy: Duration,
}

impl Told {
    pub(super) fn new(file: &Path, busy: Duration) -> Self {
        Self { store: file.display().to_string(), busy }
    }

    pub(super) fn shown(&self) -> &str {
        &self.store
    }

    pub(super) fn of(&self, error: &Error) -> StoreError {
        let store = self.store.clone();
        let what = error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed) => {
                StoreError::Locked { store, seconds: self.busy.as_secs_f64() }
            }
            Some(ErrorCode::DiskFull) => StoreError::Full { store },
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                StoreError::ReadOnly { store, what }
            }
            Some(ErrorCode::NotADatabase) => {
                StoreError::NotAStore { store, what: "it is not a database of SQLite".to_owned() }
            }
            Some(ErrorCode::DatabaseCorrupt) => StoreError::Damaged { store, what },
            _ => StoreError::Failed { store, what },
        }
    }
}

/// Interval of retries for operations in which SQLite does not wait for other processes.
const PAUSE: Duration = Duration::from_millis(10);

pub(super) struct Opening<'a> {
    path: PathBuf,
    mode: Mode,
    settings: &'a Settings,
    told: Told,
}

impl<'a> Opening<'a> {
    pub(super) fn new(file: &Path, mode: Mode, settings: &'a Settings) -> Result<Self, StoreError> {
        let told = Told::new(file, settings.busy);
        Ok(Self { path: file::prepare(file, mode)?, mode, settings, told })
    }

    pub(super) fn open(self) -> Result<(Connection, Told), StoreError> {
        let connection = match self.mode {
            Mode::ReadWrite => self.to_write()?,
            Mode::ReadOnly => self.to_read()?,
        };
        Ok((connection, self.told))
    }

    fn to_write(&self) -> Result<Connection, StoreError> {
        let connection = self.connect(OpenFlags::SQLITE_OPEN_READ_WRITE, false).map_err(|error| self.said(&error))?;
        let wal = match self.again(|| touch(&connection)) {
            Ok(()) => {
                // Before any change: another program's file stays as it is.
                let is_empty = look(&connection, &self.told, self.settings.migrations)?.schema == 0;
                self.again(|| write_ahead(&connection, is_empty))
            }
            Err(error) => Err(error),
        };
        let mut connection = match wal {
            Ok(true) => connection,
            Ok(false) => self.without_shared_memory(connection)?,
            Err(error) if lacks_shared_memory(&error) => self.without_shared_memory(connection)?,
            Err(error) => return Err(self.said(&error)),
        };
        // `FAST`: whole pages of removed runs are not overwritten, but leave the file.
        let always = "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = FAST";
        connection.execute_batch(always).map_err(|error| self.said(&error))?;
        migrate(&mut connection, &self.told, self.settings.migrations)?;
        Ok(connection)
    }

    /// Some file systems (of networks, of virtual machines' hosts) lack memory shared between processes, which WAL
    /// needs. There, a file in WAL mode can be read only with exclusive access.
    fn without_shared_memory(&self, other: Connection) -> Result<Connection, StoreError> {
        // Its locks would be in the way.
        drop(other);
        let said = |error| self.said(&error);
        let alone = || {
            let connection = self.connect(OpenFlags::SQLITE_OPEN_READ_WRITE, false)?;
            connection.pragma_update_and_check(None, "locking_mode", "EXCLUSIVE", |_| Ok(()))?;
            touch(&connection)?;
            Ok(connection)
        };
        let connection = self.again(alone).map_err(said)?;
        look(&connection, &self.told, self.settings.migrations)?;
        let shared = || {
            connection.pragma_update_and_check(None, "journal_mode", "TRUNCATE", |_| Ok(()))?;
            connection.pragma_update_and_check(None, "locking_mode", "NORMAL", |_| Ok(()))?;
            // The lock is released at the next read.
            touch(&connection)
        };
        self.again(shared).map_err(said)?;
        Ok(connection)
    }

    fn to_read(&self) -> Result<Connection, StoreError> {
        let opened = |as_is: bool| {
            let connection = self.connect(OpenFlags::SQLITE_OPEN_READ_ONLY, as_is)?;
            self.again(|| touch(&connection)).map(|()| connection)
        };
        let connection = match opened(false) {
            // WAL needs files beside it, which cannot be created in a read-only folder. If there are none, nobody
            // writes.
            Err(error) if (is_read_only(&error) || lacks_shared_memory(&error)) && self.is_at_rest() => opened(true),
            other => other,
        }
        .map_err(|error| self.said(&error))?;
        let (store, known) = (self.told.shown().to_owned(), version(self.settings.migrations));
        match look(&connection, &self.told, self.settings.migrations)?.schema {
            0 => Err(StoreError::NoStore { store }),
            schema if schema < known => Err(StoreError::Older { store, made_by: made_by(&connection), schema, known }),
            _ => Ok(connection),
        }
    }

    fn is_at_rest(&self) -> bool {
        let left = |ending| file::beside(&self.path, ending).metadata().is_ok_and(|left| left.len() > 0);
        !left("-wal") && !left("-journal")
    }

    /// `as_is`: the file does not change while it is open, and needs no locks.
    fn connect(&self, access: OpenFlags, as_is: bool) -> Result<Connection, Error> {
        let mut flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        let path = if as_is {
            flags |= OpenFlags::SQLITE_OPEN_URI;
            PathBuf::from(as_it_is(&self.path))
        } else {
            self.path.clone()
        };
        let connection = match self.settings.vfs {
            Some(vfs) => Connection::open_with_flags_and_vfs(path, flags, vfs)?,
            None => Connection::open_with_flags(path, flags)?,
        };
        connection.busy_timeout(self.settings.busy)?;
        // The file may come from elsewhere: code in its schema is not run, and its pages are checked.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        connection.pragma_update(None, "cell_size_check", true)?;
        Ok(connection)
    }

    /// Retries until the time for other processes is over: SQLite itself does not wait when a file's mode changes.
    fn again<T>(&self, work: impl Fn() -> Result<T, Error>) -> Result<T, Error> {
        let begun = Instant::now();
        loop {
            match work() {
                Err(error) if is_busy(&error) && begun.elapsed() < self.settings.busy => sleep(PAUSE),
                done => return done,
            }
        }
    }

    fn said(&self, error: &Error) -> StoreError {
        self.told.of(error)
    }
}

/// First read of the file, which takes its locks and the memory shared by its users.
fn touch(connection: &Connection) -> Result<(), Error> {
    connection.query_row("SELECT count(*) FROM sqlite_master", [], |_| Ok(()))
}

/// Whether the file is now in WAL mode.
fn write_ahead(connection: &Connection, is_empty: bool) -> Result<bool, Error> {
    if is_empty {
        // Before the first table, so that space of removed runs can be returned.
        connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    }
    let mode: String = connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    touch(connection)?;
    Ok(mode == "wal")
}

/// Files that cannot be opened get this error for the file with the shared memory too: the store's own was opened.
fn lacks_shared_memory(error: &Error) -> bool {
    let shared =
        [ffi::SQLITE_IOERR_SHMOPEN, ffi::SQLITE_IOERR_SHMSIZE, ffi::SQLITE_IOERR_SHMLOCK, ffi::SQLITE_IOERR_SHMMAP];
    error.sqlite_error_code() == Some(ErrorCode::CannotOpen)
        || error.sqlite_extended_error_code().is_some_and(|code| shared.contains(&code))
}

fn is_read_only(error: &Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen))
}

fn is_busy(error: &Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// The path as a URI that promises SQLite that the file does not change.
fn as_it_is(path: &Path) -> String {
    let mut uri = "file:".to_owned();
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'_' | b'-' => uri.push(char::from(*byte)),
            // Writing to a String does not fail.
            _ => drop(write!(uri, "%{byte:02X}")),
        }
    }
    uri + "?immutable=1"
}

/// `UNLD`, at byte 68 of the file, which identifies it to `file` and others.
pub(super) const APPLICATION: i64 = 0x554e_4c44;

const WORDS: Words = Words {
    // Numbers of removed runs are not reused.
    id: "INTEGER PRIMARY KEY AUTOINCREMENT",
    integer: "INTEGER",
    boolean: "INTEGER",
    text: "TEXT",
    bytes: "BLOB",
    strict: " STRICT",
};

#[derive(Debug, PartialEq)]
struct Found {
    /// Version of the tables; 0 if it is empty.
    schema: i64,
}

/// Checks that the file is empty, or a known store.
fn look(connection: &Connection, told: &Told, migrations: &[&str]) -> Result<Found, StoreError> {
    let number =
        |pragma: &str| -> rusqlite::Result<i64> { connection.pragma_query_value(None, pragma, |row| row.get(0)) };
    let said = |error| told.of(&error);
    let tables = "SELECT count(*) FROM sqlite_master WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!'";
    // In this order, a store that another process creates in between is seen as none, or as a whole one.
    let tables: i64 = connection.query_row(tables, [], |row| row.get(0)).map_err(said)?;
    let schema = number("user_version").map_err(said)?;
    let application = number("application_id").map_err(said)?;
    let store = || told.shown().to_owned();
    if application != APPLICATION && (tables > 0 || schema != 0 || application != 0) {
        return Err(StoreError::NotAStore { store: store(), what: "it is a database of another program".to_owned() });
    }
    let known = version(migrations);
    if schema > known {
        return Err(StoreError::Newer { store: store(), made_by: made_by(connection), schema, known });
    }
    Ok(Found { schema })
}

fn migrate(connection: &mut Connection, told: &Told, migrations: &[&str]) -> Result<(), StoreError> {
    if look(connection, told, migrations)?.schema == version(migrations) {
        return Ok(());
    }
    let said = |error| told.of(&error);
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(said)?;
    // Another process may have been quicker.
    let schema = look(&transaction, told, migrations)?.schema;
    let brought = || {
        for (leads_to, migration) in missing(migrations, schema) {
            transaction.execute_batch(&WORDS.put_into(migration))?;
            let meta = "INSERT INTO store_meta (name, value) VALUES ('schema', ?1), ('made_by', ?2) \
                        ON CONFLICT (name) DO UPDATE SET value = excluded.value";
            transaction.execute(meta, (leads_to.to_string(), env!("CARGO_PKG_VERSION")))?;
            transaction.pragma_update(None, "user_version", leads_to)?;
        }
        transaction.pragma_update(None, "application_id", APPLICATION)
    };
    brought().map_err(said)?;
    transaction.commit().map_err(said)
}

/// Version of Unladen that created the tables, in any form.
fn made_by(connection: &Connection) -> String {
    let query = "SELECT substr(value, 1, 40) FROM store_meta WHERE name = 'made_by'";
    let said: rusqlite::Result<Option<String>> = connection.query_row(query, [], |row| row.get(0)).optional();
    said.ok().flatten().unwrap_or_else(|| "of an unknown version".to_owned())
}
