//! The principal type is [`Reader`]: a database that is open.

use std::os::unix::fs::MetadataExt;
use std::time::Duration;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, InterruptHandle, OpenFlags, params_from_iter};

use super::Plan;
use crate::collapse::Answer;
use crate::counts::text;
use crate::{AskError, Version};

/// A database that is open.
pub(super) struct Reader {
    connection: Connection,
    query: String,
    /// The file's device and number.
    identity: Option<(u64, u64)>,
}

// === impl Reader ===

impl Reader {
    pub(super) fn open(plan: &Plan) -> Result<Self, AskError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        // Before the file is opened: should it be replaced meanwhile, it is opened again with the next question.
        let identity = identity(plan);
        let said = |error: rusqlite::Error| match explain(&error) {
            AskError::Unreachable(why) => AskError::Unreachable(text(format!("{}: {why}", plan.file.display()))),
            other => other,
        };
        let connection = Connection::open_with_flags(&plan.file, flags).map_err(said)?;
        connection.busy_timeout(plan.timeout).map_err(said)?;
        connection.set_prepared_statement_cache_capacity(1);
        let wants = connection.prepare_cached(&plan.query).map_err(said)?.parameter_count();
        if wants != plan.places.len() {
            let has = plan.places.len();
            return Err(AskError::Query(text(format!("it takes {wants} parameters, and `parameters` has {has}"))));
        }
        Ok(Self { connection, query: plan.query.clone(), identity })
    }

    pub(super) fn is_replaced(&self, plan: &Plan) -> bool {
        self.identity != identity(plan)
    }

    pub(super) fn interrupt_handle(&self) -> InterruptHandle {
        self.connection.get_interrupt_handle()
    }

    /// Waits so long for a lock.
    pub(super) fn ask(&self, parameters: &[String], left: Duration) -> Answer {
        self.read(parameters, left).map_err(|error| explain(&error))
    }

    fn read(&self, parameters: &[String], left: Duration) -> Result<Version, rusqlite::Error> {
        self.connection.busy_timeout(left)?;
        let mut statement = self.connection.prepare_cached(&self.query)?;
        let mut rows = statement.query(params_from_iter(parameters))?;
        let Some(row) = rows.next()? else { return Ok(None) };
        Ok(match row.get_ref(0)? {
            ValueRef::Null => None,
            ValueRef::Integer(number) => Some(number.to_string().into_bytes().into()),
            ValueRef::Real(number) => Some(number.to_string().into_bytes().into()),
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(bytes.into()),
        })
    }
}

fn identity(plan: &Plan) -> Option<(u64, u64)> {
    std::fs::metadata(&plan.file).ok().map(|file| (file.dev(), file.ino()))
}

fn explain(error: &rusqlite::Error) -> AskError {
    let message = text(error.to_string());
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::OperationInterrupted) => {
            AskError::Timeout
        }
        Some(
            ErrorCode::CannotOpen | ErrorCode::SystemIoFailure | ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt,
        ) => AskError::Unreachable(message),
        Some(ErrorCode::PermissionDenied | ErrorCode::AuthorizationForStatementDenied) => AskError::Refused(message),
        _ => AskError::Query(message),
    }
}
