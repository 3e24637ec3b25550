//! The principal type is [`SqliteReader`]: an open database.

use std::os::unix::fs::MetadataExt;
use std::time::Instant;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags, params_from_iter};

use super::plan::Plan;
use crate::ask::Answer;
use crate::counts::text;
use crate::{AskError, Version};

/// Steps of SQLite's virtual machine (some 0.1 ms) between two looks at the clock.
const STEPS: std::ffi::c_int = 10_000;

pub(super) struct SqliteReader {
    connection: Connection,
    query: String,
    identity: Option<(u64, u64)>,
}

impl SqliteReader {
    pub(super) fn open(plan: &Plan, until: Instant) -> Result<Self, AskError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        // Before the file is opened: if it is replaced meanwhile, the next question opens it again.
        let identity = identity(plan);
        let said = |error: rusqlite::Error| match explain(&error) {
            AskError::Unreachable(why) => AskError::Unreachable(text(format!("{}: {why}", plan.file.display()))),
            other => other,
        };
        let connection = Connection::open_with_flags(&plan.file, flags).map_err(said)?;
        connection.busy_timeout(until.saturating_duration_since(Instant::now())).map_err(said)?;
        connection.set_prepared_statement_cache_capacity(1);
        let wants = connection.prepare_cached(&plan.query).map_err(said)?.parameter_count();
        if wants != plan.places.len() {
            let has = plan.places.len();
            return Err(AskError::Query(text(format!("it has places for {wants}, and `parameters` names {has}"))));
        }
        Ok(Self { connection, query: plan.query.clone(), identity })
    }

    pub(super) fn is_replaced(&self, plan: &Plan) -> bool {
        self.identity != identity(plan)
    }

    /// Neither waits for a lock nor reads beyond `until`.
    pub(super) fn ask(&mut self, parameters: &[String], until: Instant) -> Answer {
        self.read(parameters, until).map_err(|error| explain(&error))
    }

    fn read(&mut self, parameters: &[String], until: Instant) -> Result<Version, rusqlite::Error> {
        self.connection.busy_timeout(until.saturating_duration_since(Instant::now()))?;
        self.connection.progress_handler(STEPS, Some(move || Instant::now() >= until))?;
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
