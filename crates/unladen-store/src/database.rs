//! The principal type is [`Database`]: what a store needs from a database. Every database is a [`Store`]. Rows come as
//! [`Columns`].

use std::collections::BTreeMap;
use std::fmt::Debug;

use crate::limits::{DOCUMENT_BYTES, EVIDENCE_BYTES};
use crate::prepared::{Prepared, decompress};
use crate::run::{NewRun, Run, RunId, RunSummary};
use crate::statement::{Among, BEGINNINGS, Dialect, FEW_RUNS, FEW_TARGETS, Statement};
use crate::store::{Filter, Retention, Store};
use crate::store_error::StoreError;

pub(crate) trait Database: Send + Debug {
    /// Location without a password.
    fn shown(&self) -> &str;

    fn dialect(&self) -> &'static Dialect;

    /// Selects rows of `runs`.
    fn columns(&mut self, statement: &Statement) -> Result<Vec<Columns>, StoreError>;

    /// Selects rows of one number or null.
    fn numbers(&mut self, statement: &Statement) -> Result<Vec<Option<i64>>, StoreError>;

    /// Selects rows of a number, and a text or null.
    fn texts(&mut self, statement: &Statement) -> Result<Vec<(i64, Option<String>)>, StoreError>;

    /// Selects the bytes of one row, if it exists.
    fn bytes(&mut self, statement: &Statement) -> Result<Option<Vec<u8>>, StoreError>;

    /// Writes all runs or none, and returns their numbers in the same order.
    fn insert(&mut self, runs: &[Prepared<'_>]) -> Result<Vec<i64>, StoreError>;

    /// Returns how many of the runs existed.
    fn delete(&mut self, ids: &[i64]) -> Result<usize, StoreError>;

    /// Removes runs by a statement that returns their numbers.
    fn delete_by(&mut self, statement: &Statement) -> Result<Vec<i64>, StoreError>;
}

impl<D: Database> Store for D {
    fn shown(&self) -> &str {
        Database::shown(self)
    }

    fn keep_all(&mut self, runs: &[NewRun]) -> Result<Vec<RunId>, StoreError> {
        let ids = self.insert(&Prepared::all(runs)?)?;
        let ids: Option<Vec<RunId>> = ids.into_iter().map(RunId::of_column).collect();
        ids.ok_or_else(|| damaged(self, "it gave a run a number below 1, or has no numbers left".to_owned()))
    }

    fn list(&mut self, filter: &Filter) -> Result<Vec<RunSummary>, StoreError> {
        let among = among(self, filter)?;
        let statement = Statement::list(filter, &among, self.dialect())?;
        if among == Among::None { Ok(Vec::new()) } else { summaries(self, &statement) }
    }

    fn count(&mut self, filter: &Filter) -> Result<u64, StoreError> {
        let among = among(self, filter)?;
        if among == Among::None {
            return Ok(0);
        }
        let counts = self.numbers(&Statement::count(filter, &among, self.dialect()))?;
        Ok(counts.into_iter().flatten().find_map(|count| u64::try_from(count).ok()).unwrap_or(0))
    }

    fn run(&mut self, id: RunId) -> Result<Run, StoreError> {
        let summary = summary(self, id)?;
        let document = content(self, "documents", id, summary.document_bytes, DOCUMENT_BYTES)?;
        let document =
            String::from_utf8(document).map_err(|error| damaged(self, format!("the document of run {id}: {error}")))?;
        Ok(Run { summary, document })
    }

    fn evidence(&mut self, id: RunId) -> Result<Option<Vec<u8>>, StoreError> {
        match summary(self, id)?.evidence_bytes {
            Some(bytes) => content(self, "evidence", id, bytes, EVIDENCE_BYTES).map(Some),
            None => Ok(None),
        }
    }

    fn remove(&mut self, ids: &[RunId]) -> Result<usize, StoreError> {
        let ids: Vec<i64> = ids.iter().map(|id| id.column()).collect();
        self.delete(&ids)
    }

    fn prunable(&mut self, retention: Retention) -> Result<Vec<RunId>, StoreError> {
        let ids = self.numbers(&Statement::prunable(retention))?;
        Ok(sorted(ids.into_iter().flatten()))
    }

    fn prune(&mut self, retention: Retention) -> Result<Vec<RunId>, StoreError> {
        let ids = self.delete_by(&Statement::prune(retention))?;
        Ok(sorted(ids))
    }
}

fn damaged(database: &(impl Database + ?Sized), what: String) -> StoreError {
    StoreError::Damaged { store: Database::shown(database).to_owned(), what }
}

/// Candidates for a part of a target.
fn among(database: &mut impl Database, filter: &Filter) -> Result<Among, StoreError> {
    let Some(part) = filter.target.as_deref().filter(|part| !part.is_empty() && filter.exact_target.is_none()) else {
        return Ok(Among::All);
    };
    let found = database.texts(&Statement::beginnings(part, database.dialect()))?;
    if found.len() > FEW_TARGETS || found.iter().any(|(place, _)| *place > BEGINNINGS) {
        return Ok(Among::All);
    }
    let beginnings: Vec<String> = found.into_iter().filter_map(|(_, text)| text).collect();
    if beginnings.is_empty() {
        return Ok(Among::None);
    }
    let runs = database.numbers(&Statement::few(&beginnings))?;
    let is_few = runs.into_iter().flatten().all(|runs| runs <= FEW_RUNS);
    Ok(if is_few { Among::TargetsThatBegin(beginnings) } else { Among::All })
}

fn summaries(database: &mut impl Database, statement: &Statement) -> Result<Vec<RunSummary>, StoreError> {
    let rows = database.columns(statement)?;
    rows.into_iter().map(|row| row.summary().map_err(|what| damaged(database, what))).collect()
}

fn summary(database: &mut impl Database, id: RunId) -> Result<RunSummary, StoreError> {
    if let Some(summary) = summaries(database, &Statement::run(id, database.dialect()))?.pop() {
        return Ok(summary);
    }
    let nearest = database.numbers(&Statement::nearest(id))?;
    Err(StoreError::NoSuchRun { id, nearest: nearest.into_iter().flatten().filter_map(RunId::of_column).collect() })
}

/// A run's document or evidence, decompressed.
fn content(
    database: &mut impl Database,
    table: &str,
    id: RunId,
    bytes: u64,
    most: usize,
) -> Result<Vec<u8>, StoreError> {
    let frame = database.bytes(&Statement::content(table, id, most))?;
    let wrong = |what: String| damaged(database, format!("{table} of run {id}: {what}"));
    let frame = frame.ok_or_else(|| wrong("it is missing, or too large".to_owned()))?;
    decompress(&frame, bytes, most).map_err(wrong)
}

fn sorted(ids: impl IntoIterator<Item = i64>) -> Vec<RunId> {
    let mut ids: Vec<RunId> = ids.into_iter().filter_map(RunId::of_column).collect();
    ids.sort_unstable();
    ids
}

/// A row of `runs`, in the order of [`Statement`](crate::statement::Statement)'s columns.
pub(crate) struct Columns {
    pub(crate) id: i64,
    pub(crate) time_ns: i64,
    pub(crate) verb: String,
    pub(crate) target: String,
    pub(crate) host: String,
    pub(crate) version: String,
    pub(crate) ended: String,
    pub(crate) commit: Option<String>,
    pub(crate) dirty: bool,
    pub(crate) document_bytes: i64,
    pub(crate) evidence_bytes: Option<i64>,
    pub(crate) stored_bytes: i64,
    /// A JSON object; `None` without labels.
    pub(crate) labels: Option<String>,
}

impl Columns {
    /// # Errors
    /// A fault of the row, for [`StoreError::Damaged`](crate::StoreError::Damaged).
    pub(crate) fn summary(self) -> Result<RunSummary, String> {
        let Some(id) = RunId::of_column(self.id) else {
            return Err(format!("a run has the number {}", self.id));
        };
        let labels: BTreeMap<String, String> = match &self.labels {
            Some(labels) => serde_json::from_str(labels).map_err(|error| format!("labels of run {id}: {error}"))?,
            None => BTreeMap::new(),
        };
        let size = |bytes: i64| u64::try_from(bytes).map_err(|_| format!("run {id} has {bytes} bytes"));
        Ok(RunSummary {
            id,
            time_ns: self.time_ns,
            verb: self.verb,
            target: self.target,
            host: self.host,
            version: self.version,
            ended: self.ended,
            commit: self.commit,
            dirty: self.dirty,
            labels,
            document_bytes: size(self.document_bytes)?,
            evidence_bytes: self.evidence_bytes.map(size).transpose()?,
            stored_bytes: size(self.stored_bytes)?,
        })
    }
}
