//! The principal type is [`Sqlite`]: a store in one file.
//!
//! The file is in WAL mode, with `synchronous=FULL`: readers and one writer do not block each other, and committed data
//! is on the disk. Writers wait for each other for [`BUSY`](opening::Settings::BUSY).

use std::path::Path;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, Row, ToSql, TransactionBehavior, params, params_from_iter};

use self::opening::{Opening, Settings, Told};
use crate::database::{Columns, Database};
use crate::prepared::Prepared;
use crate::statement::{Dialect, Statement, Value};
use crate::store::Mode;
use crate::store_error::StoreError;

mod file;
mod opening;

const DIALECT: Dialect = Dialect { place_in: "instr", labels: "json_group_object(key, value)" };

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

    /// Takes the write lock at once, and waits for it: a transaction that reads first and then writes could not wait.
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

    /// Returns the space of removed runs to the disk. If that fails, the next runs use the space.
    fn shrink(&self) {
        let Ok(mut vacuum) = self.connection.prepare("PRAGMA incremental_vacuum") else { return };
        // Each step frees a page.
        if let Ok(mut rows) = vacuum.query([]) {
            while matches!(rows.next(), Ok(Some(_))) {}
        }
    }
}

impl Database for Sqlite {
    fn shown(&self) -> &str {
        self.told.shown()
    }

    fn dialect(&self) -> &'static Dialect {
        &DIALECT
    }

    fn columns(&mut self, statement: &Statement) -> Result<Vec<Columns>, StoreError> {
        self.rows(statement, columns)
    }

    fn numbers(&mut self, statement: &Statement) -> Result<Vec<Option<i64>>, StoreError> {
        self.rows(statement, |row| row.get(0))
    }

    fn texts(&mut self, statement: &Statement) -> Result<Vec<(i64, Option<String>)>, StoreError> {
        self.rows(statement, |row| Ok((row.get(0)?, row.get(1)?)))
    }

    fn bytes(&mut self, statement: &Statement) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.rows(statement, |row| row.get(0))?.pop())
    }

    fn insert(&mut self, runs: &[Prepared<'_>]) -> Result<Vec<i64>, StoreError> {
        self.write(|transaction| {
            let mut insert = Insert::prepared(transaction)?;
            runs.iter().map(|run| insert.insert(run)).collect()
        })
    }

    fn delete(&mut self, ids: &[i64]) -> Result<usize, StoreError> {
        let removed = self.write(|transaction| {
            let mut delete = transaction.prepare("DELETE FROM runs WHERE id = $1")?;
            ids.iter().map(|id| delete.execute([id])).sum()
        })?;
        self.shrink();
        Ok(removed)
    }

    fn delete_by(&mut self, statement: &Statement) -> Result<Vec<i64>, StoreError> {
        let ids = self.write(|transaction| {
            let mut prepared = transaction.prepare(&statement.sql)?;
            prepared.query_map(params_from_iter(&statement.values), |row| row.get(0))?.collect()
        })?;
        self.shrink();
        Ok(ids)
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

/// Statements that keep a run, prepared once for all runs of a transaction.
struct Insert<'a> {
    run: rusqlite::Statement<'a>,
    label: rusqlite::Statement<'a>,
    document: rusqlite::Statement<'a>,
    evidence: rusqlite::Statement<'a>,
}

impl<'a> Insert<'a> {
    fn prepared(transaction: &'a rusqlite::Transaction<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            run: transaction.prepare(
                "INSERT INTO runs (time_ns, verb, target, host, version, ended, commit_id, dirty, document_bytes, \
                 evidence_bytes, stored_bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            )?,
            label: transaction.prepare("INSERT INTO run_labels (run_id, key, value, time_ns) VALUES (?, ?, ?, ?)")?,
            document: transaction.prepare("INSERT INTO documents (run_id, content) VALUES (?, ?)")?,
            evidence: transaction.prepare("INSERT INTO evidence (run_id, content) VALUES (?, ?)")?,
        })
    }

    fn insert(&mut self, prepared: &Prepared<'_>) -> rusqlite::Result<i64> {
        let run = prepared.run;
        let id = self.run.insert(params![
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
        ])?;
        for (key, value) in &run.labels {
            self.label.execute(params![id, key, value, run.time_ns])?;
        }
        self.document.execute(params![id, prepared.document])?;
        if let Some(evidence) = &prepared.evidence {
            self.evidence.execute(params![id, evidence])?;
        }
        Ok(id)
    }
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

#[cfg(test)]
mod tests;
