//! The principal type is [`Store`]: what a back end can do.

use crate::filter::Filter;
use crate::new_run::NewRun;
use crate::retention::Retention;
use crate::run::{Run, RunSummary};
use crate::run_id::RunId;
use crate::store_error::StoreError;

/// A store of runs. Several processes may use the same one at once.
///
/// What a method has returned as kept or removed is so for good: the database has it on its disk. After an error,
/// nothing has changed.
pub trait Store: Send + std::fmt::Debug {
    /// Where it is, without a password.
    fn shown(&self) -> &str;

    /// Keeps these runs, all or none, and returns their numbers in the same order. Their order sets their numbers.
    ///
    /// # Errors
    /// If one is larger than a store takes or is no JSON, or the store cannot be written.
    fn keep_all(&mut self, runs: &[NewRun]) -> Result<Vec<RunId>, StoreError>;

    /// Keeps a run.
    ///
    /// # Errors
    /// As [`Store::keep_all`].
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
    /// If the limit is above [`PAGE`](crate::PAGE), or the store cannot be read.
    fn list(&mut self, filter: &Filter) -> Result<Vec<RunSummary>, StoreError>;

    /// How many runs meet the filter, whatever its `limit`.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn count(&mut self, filter: &Filter) -> Result<u64, StoreError>;

    /// A run with its document.
    ///
    /// # Errors
    /// [`StoreError::NoSuchRun`] if there is none, and if the store cannot be read.
    fn run(&mut self, id: RunId) -> Result<Run, StoreError>;

    /// The evidence of a run, as it was given to be kept; none: none was kept.
    ///
    /// # Errors
    /// As [`Store::run`].
    fn evidence(&mut self, id: RunId) -> Result<Option<Vec<u8>>, StoreError>;

    /// Removes runs with all that belongs to them, and returns how many there were. Runs that do not exist are passed
    /// over.
    ///
    /// # Errors
    /// If the store cannot be written.
    fn remove(&mut self, ids: &[RunId]) -> Result<usize, StoreError>;

    /// The runs that [`Store::prune`] would remove, by number.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn prunable(&mut self, retention: Retention) -> Result<Vec<RunId>, StoreError>;

    /// Removes all runs but those that stay, and returns the numbers of those that went.
    ///
    /// # Errors
    /// If the store cannot be written.
    fn prune(&mut self, retention: Retention) -> Result<Vec<RunId>, StoreError>;
}
