//! The principal type is [`Sqlite`]: a store in one file.
//!
//! The file is in WAL mode, with `synchronous=FULL`: readers and one writer do not hold each other up, and what was
//! committed is on the disk. Writers wait for each other for [`BUSY`](settings::Settings::BUSY).

use std::path::Path;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, ToSql, TransactionBehavior, params, params_from_iter};

use self::opening::Opening;
use self::settings::Settings;
use self::told::Told;
use crate::columns::Columns;
use crate::compressed::decompress;
use crate::filter::Filter;
use crate::limits::{DOCUMENT_BYTES, EVIDENCE_BYTES};
use crate::mode::Mode;
use crate::new_run::NewRun;
use crate::prepared::Prepared;
use crate::retention::Retention;
use crate::run::{Run, RunSummary};
use crate::run_id::RunId;
use crate::statement::{Dialect, Statement, Value};
use crate::store::Store;
use crate::store_error::StoreError;

mod file;
mod migrate;
mod opening;
mod settings;
mod told;

const DIALECT: Dialect = Dialect { place_in: "instr", labels: "json_group_object(key, value)" };

/// A store in one file.
#[derive(Debug)]
pub(crate) struct Sqlite {
    connection: Connection,
    told: Told,
}

// === impl Sqlite ===

impl Sqlite {
    pub(crate) fn open(file: &Path, mode: Mode) -> Result<Self, StoreError> {
        Self::open_with(file, mode, &Settings::default())
    }

    fn open_with(file: &Path, mode: Mode, settings: &Settings) -> Result<Self, StoreError> {
        let (connection, told) = Opening::new(file, mode, settings)?.open()?;
        Ok(Self { connection, told })
    }

    fn rows<T>(
        &self,
        statement: &Statement,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let rows = || -> rusqlite::Result<Vec<T>> {
            let mut prepared = self.connection.prepare(&statement.sql)?;
            prepared.query_map(params_from_iter(&statement.values), |row| read(row))?.collect()
        };
        rows().map_err(|error| self.told.of(&error))
    }

    fn summaries(&self, statement: &Statement) -> Result<Vec<RunSummary>, StoreError> {
        let rows = self.rows(statement, columns)?;
        rows.into_iter().map(|row| row.summary().map_err(|what| self.told.damaged(what))).collect()
    }

    fn summary(&self, id: RunId) -> Result<RunSummary, StoreError> {
        if let Some(summary) = self.summaries(&Statement::run(id, &DIALECT))?.pop() {
            return Ok(summary);
        }
        let nearest = self.rows(&Statement::nearest(id), |row| Ok([row.get(0)?, row.get::<_, Option<i64>>(1)?]))?;
        let nearest = nearest.into_iter().flatten().flatten().filter_map(RunId::of_column).collect();
        Err(StoreError::NoSuchRun { id, nearest })
    }

    fn content(&self, table: &str, id: RunId, bytes: u64, most: usize) -> Result<Vec<u8>, StoreError> {
        let statement = Statement::content(table, id, most);
        let frame: Option<Vec<u8>> = self
            .connection
            .query_row(&statement.sql, params_from_iter(&statement.values), |row| row.get(0))
            .optional()
            .map_err(|error| self.told.of(&error))?;
        let damaged = |what: String| self.told.damaged(format!("{table} of run {id}: {what}"));
        let frame = frame.ok_or_else(|| damaged("it is missing, or too large".to_owned()))?;
        decompress(&frame, bytes, most).map_err(damaged)
    }

    /// A writer is told at once that others write, and waits: one that reads first and then writes could not.
    fn write<T>(
        &mut self,
        work: impl FnOnce(&rusqlite::Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let connection = &mut self.connection;
        let done = (|| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let done = work(&transaction)?;
            transaction.commit()?;
            Ok(done)
        })();
        done.map_err(|error| self.told.of(&error))
    }

    /// Gives the room of what was removed back to the disk. Where that fails, the room is used for the next runs.
    fn shrink(&self) {
        let Ok(mut vacuum) = self.connection.prepare("PRAGMA incremental_vacuum") else { return };
        // Each step frees a page.
        if let Ok(mut rows) = vacuum.query([]) {
            while matches!(rows.next(), Ok(Some(_))) {}
        }
    }
}

impl Store for Sqlite {
    fn shown(&self) -> &str {
        self.told.shown()
    }

    fn keep_all(&mut self, runs: &[NewRun]) -> Result<Vec<RunId>, StoreError> {
        let prepared = Prepared::all(runs)?;
        let ids = self.write(|transaction| prepared.iter().map(|run| insert(transaction, run)).collect())?;
        let ids: Option<Vec<RunId>> = Vec::into_iter(ids).map(RunId::of_column).collect();
        ids.ok_or_else(|| self.told.damaged("it has no number left for a run".to_owned()))
    }

    fn list(&mut self, filter: &Filter) -> Result<Vec<RunSummary>, StoreError> {
        self.summaries(&Statement::list(filter, &DIALECT)?)
    }

    fn count(&mut self, filter: &Filter) -> Result<u64, StoreError> {
        let counts = self.rows(&Statement::count(filter, &DIALECT), |row| row.get::<_, i64>(0))?;
        Ok(counts.first().and_then(|count| u64::try_from(*count).ok()).unwrap_or(0))
    }

    fn run(&mut self, id: RunId) -> Result<Run, StoreError> {
        let summary = self.summary(id)?;
        let document = self.content("documents", id, summary.document_bytes, DOCUMENT_BYTES)?;
        let document = String::from_utf8(document)
            .map_err(|error| self.told.damaged(format!("the document of run {id}: {error}")))?;
        Ok(Run { summary, document })
    }

    fn evidence(&mut self, id: RunId) -> Result<Option<Vec<u8>>, StoreError> {
        match self.summary(id)?.evidence_bytes {
            Some(bytes) => self.content("evidence", id, bytes, EVIDENCE_BYTES).map(Some),
            None => Ok(None),
        }
    }

    fn remove(&mut self, ids: &[RunId]) -> Result<usize, StoreError> {
        let removed = self.write(|transaction| {
            let mut delete = transaction.prepare("DELETE FROM runs WHERE id = $1")?;
            ids.iter().map(|id| delete.execute([id.column()])).sum()
        })?;
        self.shrink();
        Ok(removed)
    }

    fn prunable(&mut self, retention: Retention) -> Result<Vec<RunId>, StoreError> {
        let ids = self.rows(&Statement::prunable(retention), |row| row.get(0))?;
        Ok(sorted(ids))
    }

    fn prune(&mut self, retention: Retention) -> Result<Vec<RunId>, StoreError> {
        let Statement { sql, values } = Statement::prune(retention);
        let ids = self.write(|transaction| {
            let mut prepared = transaction.prepare(&sql)?;
            prepared.query_map(params_from_iter(&values), |row| row.get(0))?.collect()
        })?;
        self.shrink();
        Ok(sorted(ids))
    }
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Integer(integer) => ValueRef::Integer(*integer),
        }))
    }
}

fn insert(transaction: &rusqlite::Transaction<'_>, prepared: &Prepared<'_>) -> rusqlite::Result<i64> {
    let run = prepared.run;
    transaction.execute(
        "INSERT INTO runs (time_ns, verb, target, host, version, ended, commit_id, dirty, document_bytes, \
         evidence_bytes, stored_bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        params![
            run.time_ns,
            run.verb,
            run.target,
            run.host,
            run.version,
            run.ended,
            run.commit,
            run.dirty,
            prepared.document_bytes(),
            prepared.evidence_bytes(),
            prepared.stored_bytes(),
        ],
    )?;
    let id = transaction.last_insert_rowid();
    for (key, value) in &run.labels {
        let sql = "INSERT INTO run_labels (run_id, key, value, time_ns) VALUES (?, ?, ?, ?)";
        transaction.execute(sql, params![id, key, value, run.time_ns])?;
    }
    transaction.execute("INSERT INTO documents (run_id, content) VALUES (?, ?)", params![id, prepared.document])?;
    if let Some(evidence) = &prepared.evidence {
        transaction.execute("INSERT INTO evidence (run_id, content) VALUES (?, ?)", params![id, evidence])?;
    }
    Ok(id)
}

fn columns(row: &Row<'_>) -> rusqlite::Result<Columns> {
    Ok(Columns {
        id: row.get(0)?,
        time_ns: row.get(1)?,
        verb: row.get(2)?,
        target: row.get(3)?,
        host: row.get(4)?,
        version: row.get(5)?,
        ended: row.get(6)?,
        commit: row.get(7)?,
        dirty: row.get(8)?,
        document_bytes: row.get(9)?,
        evidence_bytes: row.get(10)?,
        stored_bytes: row.get(11)?,
        labels: row.get(12)?,
    })
}

fn sorted(ids: Vec<i64>) -> Vec<RunId> {
    let mut ids: Vec<RunId> = ids.into_iter().filter_map(RunId::of_column).collect();
    ids.sort_unstable();
    ids
}

#[cfg(test)]
mod tests;
