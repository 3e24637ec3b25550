//! The principal type is [`Opening`]: opens a connection to a path.

use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, Error, ErrorCode, OpenFlags, ffi};

use super::file;
use super::migrate::{look, made_by, migrate};
use super::settings::Settings;
use super::told::Told;
use crate::mode::Mode;
use crate::schema::version;
use crate::store_error::StoreError;

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
