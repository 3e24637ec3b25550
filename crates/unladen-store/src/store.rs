//! The principal type is [`Store`]: the operations of a back end.

use std::collections::BTreeMap;

use crate::run::{NewRun, Position, Run, RunId, RunSummary};
use crate::store_error::StoreError;

/// A store of runs, which several processes may use at once.
///
/// What a method has reported as kept or removed is permanent: the database has it on its disk. After an error, nothing
/// has changed. All methods with a `Result` fail if the store cannot be read or written.
pub trait Store: Send + std::fmt::Debug {
    /// Location without a password.
    fn shown(&self) -> &str;

    /// Keeps all of these runs or none, and returns their numbers in the same order. Their order determines their
    /// numbers.
    ///
    /// # Errors
    /// If one exceeds the store's limits or is not JSON.
    fn keep_all(&mut self, runs: &[NewRun]) -> Result<Vec<RunId>, StoreError>;

    /// Keeps a run; fails like [`Store::keep_all`].
    fn keep(&mut self, run: &NewRun) -> Result<RunId, StoreError> {
        let kept = self.keep_all(std::slice::from_ref(run))?;
        kept.first().copied().ok_or_else(|| StoreError::Failed {
            store: self.shown().to_owned(),
            what: "the database gave the run no number".to_owned(),
        })
    }

    /// A page of runs, newest first: by time, then by number.
    ///
    /// # Errors
    /// If the limit is above [`PAGE`](crate::PAGE).
    fn list(&mut self, filter: &Filter) -> Result<Vec<RunSummary>, StoreError>;

    /// Number of runs that match the filter, whatever its `limit`.
    fn count(&mut self, filter: &Filter) -> Result<u64, StoreError>;

    /// A run with its document.
    ///
    /// # Errors
    /// [`StoreError::NoSuchRun`] if there is none.
    fn run(&mut self, id: RunId) -> Result<Run, StoreError>;

    /// The evidence of a run as it was given, `None` if none was kept; fails like [`Store::run`].
    fn evidence(&mut self, id: RunId) -> Result<Option<Vec<u8>>, StoreError>;

    /// Removes runs with all that belongs to them, and returns how many there were. Runs that do not exist are skipped.
    fn remove(&mut self, ids: &[RunId]) -> Result<usize, StoreError>;

    /// Numbers of the runs that [`Store::prune`] would remove.
    fn prunable(&mut self, retention: Retention) -> Result<Vec<RunId>, StoreError>;

    /// Removes all runs except those that stay, and returns the numbers of those removed.
    fn prune(&mut self, retention: Retention) -> Result<Vec<RunId>, StoreError>;
}

/// Selects the runs that meet all conditions given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    pub verb: Option<String>,
    /// Part of the target, case-sensitive.
    pub target: Option<String>,
    pub exact_target: Option<String>,
    pub labels: BTreeMap<String, String>,
    /// Start of the revision.
    pub commit: Option<String>,
    pub host: Option<String>,
    /// First time: ns since 1970 in UTC.
    pub since_ns: Option<i64>,
    /// Time after the last: ns since 1970 in UTC.
    pub until_ns: Option<i64>,
    /// Exact times: ns since 1970 in UTC. Empty for any time.
    pub times_ns: Vec<i64>,
    /// Only runs after this one in the list, newest first: the next page.
    pub before: Option<Position>,
    /// Maximum number of runs, at most [`PAGE`](crate::PAGE). [`Store::count`](crate::Store::count) counts them all.
    pub limit: u32,
}

impl Default for Filter {
    /// The newest 100 of all runs.
    fn default() -> Self {
        Self {
            verb: None,
            target: None,
            exact_target: None,
            labels: BTreeMap::new(),
            commit: None,
            host: None,
            since_ns: None,
            until_ns: None,
            times_ns: Vec::new(),
            before: None,
            limit: 100,
        }
    }
}

/// Which runs stay when a store is pruned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retention {
    /// This many of the newest runs of each verb and target.
    Newest(u32),
    /// Runs from this time on: ns since 1970 in UTC.
    Since(i64),
}

/// How a store is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Allows keeping and removing runs. A missing store is created; one of an older version is upgraded.
    ReadWrite,
    /// Creates and changes nothing.
    ReadOnly,
}
