//! The principal type is [`Columns`]: a row of `runs`, the same in both databases.

use std::collections::BTreeMap;

use crate::run::RunSummary;
use crate::run_id::RunId;

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
