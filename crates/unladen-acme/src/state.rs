//! The principal type is [`Folder`]: one authority's state, on a disk that processes and machines may share.
//!
//! ```text
//! STATE/acme-v02.api.letsencrypt.org_2fdirectory/
//!     account.json            who one is there, with the account's key
//!     example.org.pem         the key and the chain, in one file: both are replaced at once
//!     example.org.json        failures, and when the next order may begin
//!     example.org.lock        held by the process that orders
//!     challenges/             answers for the authority, for as long as it may ask
//! ```

mod file;
mod lock;
mod read;

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use self::file::StateError;
pub(crate) use self::lock::Lock;
pub(crate) use self::read::Found;

use crate::issued::Issued;
use crate::schedule::Schedule;

/// Longest file of certificates, in bytes.
const LONGEST_PEM: u64 = 256 * 1024;
/// Longest other file, in bytes.
const LONGEST_JSON: u64 = 64 * 1024;
/// Most answers in a folder: more are not ours.
const MOST_ANSWERS: usize = 1000;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// The folder of this directory's URL; nothing is created yet.
    pub(crate) fn new(state: &Path, directory: &str) -> Self {
        Self { path: state.join(file::name_of(directory)) }
    }

    /// Creates missing folders, for this user alone.
    pub(crate) fn make(&self) -> Result<(), StateError> {
        file::make(&self.challenges())
    }

    /// The certificate of this name, if it is valid.
    pub(crate) fn issued(&self, name: &str) -> Found<Issued> {
        read::parsed(&self.pem(name), LONGEST_PEM, |bytes| Issued::parse(bytes).map_err(|error| error.to_string()))
    }

    /// Replaces the certificate: readers see the old or the new one.
    pub(crate) fn keep_issued(&self, name: &str, pem: &str) -> Result<(), StateError> {
        file::replace(&self.pem(name), pem.as_bytes())
    }

    pub(crate) fn schedule(&self, name: &str, now: u64) -> Found<Schedule> {
        read::parsed(&self.json(name), LONGEST_JSON, |bytes| {
            let schedule: Schedule = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
            if schedule.is_plausible(now) { Ok(schedule) } else { Err("its times are too far off".to_owned()) }
        })
    }

    pub(crate) fn keep_schedule(&self, name: &str, schedule: &Schedule) -> Result<(), StateError> {
        file::replace_json(&self.json(name), schedule)
    }

    pub(crate) fn account<T: DeserializeOwned>(&self) -> Found<T> {
        read::json(&self.account_path(), LONGEST_JSON)
    }

    pub(crate) fn keep_account(&self, account: &impl Serialize) -> Result<(), StateError> {
        file::replace_json(&self.account_path(), account)
    }

    /// Call if the authority does not know the account.
    pub(crate) fn forget_account(&self) {
        let _ = std::fs::remove_file(self.account_path());
    }

    pub(crate) fn account_path(&self) -> PathBuf {
        self.path.join("account.json")
    }

    /// The right to order a certificate of this name, or to make the account; `None` if another process has it.
    pub(crate) fn lock(&self, name: &str) -> Result<Option<Lock>, StateError> {
        Lock::take(&self.path.join(format!("{name}.lock")))
    }

    pub(crate) fn pem(&self, name: &str) -> PathBuf {
        self.path.join(format!("{name}.pem"))
    }

    pub(crate) fn json(&self, name: &str) -> PathBuf {
        self.path.join(format!("{name}.json"))
    }

    pub(crate) fn challenges(&self) -> PathBuf {
        self.path.join("challenges")
    }

    pub(crate) fn answer_names(&self) -> Vec<String> {
        read::names(&self.challenges(), ".json", MOST_ANSWERS)
    }

    /// Reads an answer; `None` if it is invalid.
    pub(crate) fn answer<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        read::json(&self.challenges().join(name), LONGEST_JSON).ok().flatten()
    }

    pub(crate) fn keep_answer(&self, name: &str, answer: &impl Serialize) -> Result<(), StateError> {
        file::replace_json(&self.challenges().join(name), answer)
    }

    pub(crate) fn forget_answer(&self, name: &str) {
        // A missing file is fine.
        let _ = std::fs::remove_file(self.challenges().join(name));
    }
}

#[cfg(test)]
mod tests;
