//! The principal type is [`Told`]: translates SQLite's errors into a store's.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Error, ErrorCode};

use crate::store_error::StoreError;

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
