//! The principal type is [`Postgres`]: a store on a server.
//!
//! Its tables lie in the schema `unladen` of the database, so that they can share it with others. They are those of
//! SQLite; see `schema/`.

use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Error, Row, Transaction};

use self::link::{CONTENT, Link, QUICK, Repeat};
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

mod link;
mod migrate;
mod session;
mod told;

const DIALECT: Dialect = Dialect { place_in: "strpos", labels: "json_object_agg(key, value)::text" };

/// A store on a server.
#[derive(Debug)]
pub(crate) struct Postgres {
    link: Link,
    told: Told,
}

// === impl Postgres ===

impl Postgres {
    pub(crate) fn open(url: &str, shown: String, mode: Mode) -> Result<Self, StoreError> {
        let told = Told::new(shown);
        let mut link = Link::new(url, mode, told.clone())?;
        link.connect()?;
        Ok(Self { link, told })
    }

    fn rows<T: Send>(
        &mut self,
        statement: &Statement,
        read: impl Fn(&Row) -> Result<T, Error> + Sync,
    ) -> Result<Vec<T>, StoreError> {
        self.link.run(QUICK, Repeat::Yes, async |client: &mut Client| {
            let rows = client.query(&statement.sql, &places(&statement.values)).await?;
            rows.iter().map(&read).collect()
        })
    }

    fn summaries(&mut self, statement: &Statement) -> Result<Vec<RunSummary>, StoreError> {
        let rows = self.rows(statement, columns)?;
        rows.into_iter().map(|row| row.summary().map_err(|what| self.told.damaged(what))).collect()
    }

    fn summary(&mut self, id: RunId) -> Result<RunSummary, StoreError> {
        if let Some(summary) = self.summaries(&Statement::run(id, &DIALECT))?.pop() {
            return Ok(summary);
        }
        let nearest =
            self.rows(&Statement::nearest(id), |row| Ok([row.try_get(0)?, row.try_get::<_, Option<i64>>(1)?]))?;
        let nearest = nearest.into_iter().flatten().flatten().filter_map(RunId::of_column).collect();
        Err(StoreError::NoSuchRun { id, nearest })
    }

    fn content(&mut self, table: &str, id: RunId, bytes: u64, most: usize) -> Result<Vec<u8>, StoreError> {
        let Statement { sql, values } = Statement::content(table, id, most);
        let frame: Option<Vec<u8>> = self.link.run(CONTENT, Repeat::Yes, async |client: &mut Client| {
            client.query_opt(&sql, &places(&values)).await?.map(|row| row.try_get(0)).transpose()
        })?;
        let damaged = |what: String| self.told.damaged(format!("{table} of run {id}: {what}"));
        let frame = frame.ok_or_else(|| damaged("it is missing, or too large".to_owned()))?;
        decompress(&frame, bytes, most).map_err(damaged)
    }
}

impl Store for Postgres {
    fn shown(&self) -> &str {
        self.told.shown()
    }

    fn keep_all(&mut self, runs: &[NewRun]) -> Result<Vec<RunId>, StoreError> {
        let prepared = Prepared::all(runs)?;
        // Not again where the answer is lost: they might be there twice.
        let ids = self.link.run(CONTENT, Repeat::No, async |client: &mut Client| {
            let transaction = client.transaction().await?;
            let mut ids: Vec<i64> = Vec::with_capacity(prepared.len());
            for run in &prepared {
                ids.push(insert(&transaction, run).await?);
            }
            transaction.commit().await?;
            Ok(ids)
        })?;
        let ids: Option<Vec<RunId>> = ids.into_iter().map(RunId::of_column).collect();
        ids.ok_or_else(|| self.told.damaged("it gives a run a number below 1".to_owned()))
    }

    fn list(&mut self, filter: &Filter) -> Result<Vec<RunSummary>, StoreError> {
        self.summaries(&Statement::list(filter, &DIALECT)?)
    }

    fn count(&mut self, filter: &Filter) -> Result<u64, StoreError> {
        let counts = self.rows(&Statement::count(filter, &DIALECT), |row| row.try_get::<_, i64>(0))?;
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
        let ids: Vec<i64> = ids.iter().map(|id| id.column()).collect();
        // Whoever removes them once more finds none: the count would be wrong.
        let removed = self.link.run(QUICK, Repeat::No, async |client: &mut Client| {
            client.execute("DELETE FROM runs WHERE id = ANY($1)", &[&ids]).await
        })?;
        Ok(usize::try_from(removed).unwrap_or(usize::MAX))
    }

    fn prunable(&mut self, retention: Retention) -> Result<Vec<RunId>, StoreError> {
        let ids = self.rows(&Statement::prunable(retention), |row| row.try_get(0))?;
        Ok(sorted(ids))
    }

    fn prune(&mut self, retention: Retention) -> Result<Vec<RunId>, StoreError> {
        let Statement { sql, values } = Statement::prune(retention);
        let ids = self.link.run(QUICK, Repeat::No, async |client: &mut Client| {
            let rows = client.query(&sql, &places(&values)).await?;
            rows.iter().map(|row| row.try_get(0)).collect()
        })?;
        Ok(sorted(ids))
    }
}

async fn insert(transaction: &Transaction<'_>, prepared: &Prepared<'_>) -> Result<i64, Error> {
    let run = prepared.run;
    let sql = "INSERT INTO runs (time_ns, verb, target, host, version, ended, commit_id, dirty, document_bytes, \
               evidence_bytes, stored_bytes) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING id";
    let (document, evidence) = (prepared.document_bytes(), prepared.evidence_bytes());
    let stored = prepared.stored_bytes();
    let values: [&(dyn ToSql + Sync); 11] = [
        &run.time_ns,
        &run.verb,
        &run.target,
        &run.host,
        &run.version,
        &run.ended,
        &run.commit,
        &run.dirty,
        &document,
        &evidence,
        &stored,
    ];
    let id: i64 = transaction.query_one(sql, &values).await?.try_get(0)?;
    if !run.labels.is_empty() {
        let (keys, labels): (Vec<&String>, Vec<&String>) = run.labels.iter().unzip();
        let sql = "INSERT INTO run_labels (run_id, key, value, time_ns) SELECT $1, label.key, label.value, $4 \
                   FROM unnest($2::text[], $3::text[]) AS label (key, value)";
        transaction.execute(sql, &[&id, &keys, &labels, &run.time_ns]).await?;
    }
    let sql = "INSERT INTO documents (run_id, content) VALUES ($1, $2)";
    transaction.execute(sql, &[&id, &prepared.document]).await?;
    if let Some(evidence) = &prepared.evidence {
        let sql = "INSERT INTO evidence (run_id, content) VALUES ($1, $2)";
        transaction.execute(sql, &[&id, evidence]).await?;
    }
    Ok(id)
}

fn places(values: &[Value]) -> Vec<&(dyn ToSql + Sync)> {
    fn place(value: &Value) -> &(dyn ToSql + Sync) {
        match value {
            Value::Text(text) => text,
            Value::Integer(integer) => integer,
        }
    }
    values.iter().map(place).collect()
}

fn columns(row: &Row) -> Result<Columns, Error> {
    Ok(Columns {
        id: row.try_get(0)?,
        time_ns: row.try_get(1)?,
        verb: row.try_get(2)?,
        target: row.try_get(3)?,
        host: row.try_get(4)?,
        version: row.try_get(5)?,
        ended: row.try_get(6)?,
        commit: row.try_get(7)?,
        dirty: row.try_get(8)?,
        document_bytes: row.try_get(9)?,
        evidence_bytes: row.try_get(10)?,
        stored_bytes: row.try_get(11)?,
        labels: row.try_get(12)?,
    })
}

fn sorted(ids: Vec<i64>) -> Vec<RunId> {
    let mut ids: Vec<RunId> = ids.into_iter().filter_map(RunId::of_column).collect();
    ids.sort_unstable();
    ids
}
