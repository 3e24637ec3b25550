//! The principal type is [`Folder`]: what is kept of one authority, on a disk that processes and machines may share.
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

/// The longest file of certificates.
const LONGEST_PEM: u64 = 256 * 1024;
/// The longest other file.
const LONGEST_JSON: u64 = 64 * 1024;
/// Answers there are at most: more are somebody else's.
const MOST_ANSWERS: usize = 1000;

/// What is kept of one authority.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Of this directory's URL; nothing is made yet.
    pub(crate) fn new(state: &Path, directory: &str) -> Self {
        Self { path: state.join(file::name_of(directory)) }
    }

    /// Makes what is missing, for this user alone.
    pub(crate) fn make(&self) -> Result<(), StateError> {
        file::make(&self.challenges())
    }

    /// The certificate of this name, as far as it is a certificate.
    pub(crate) fn issued(&self, name: &str) -> Found<Issued> {
        read::parsed(&self.pem(name), LONGEST_PEM, |bytes| Issued::parse(bytes).map_err(|error| error.to_string()))
    }

    /// Replaces it: whoever reads at any time has the old one or the new one.
    pub(crate) fn keep_issued(&self, name: &str, pem: &str) -> Result<(), StateError> {
        file::replace(&self.pem(name), pem.as_bytes())
    }

    /// What is remembered of attempts for this name.
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

    /// The authority does not know it.
    pub(crate) fn forget_account(&self) {
        let _ = std::fs::remove_file(self.account_path());
    }

    pub(crate) fn account_path(&self) -> PathBuf {
        self.path.join("account.json")
    }

    /// The right to order a certificate of this name, or to make the account; none: another process has it.
    pub(crate) fn lock(&self, name: &str) -> Result<Option<Lock>, StateError> {
        Lock::take(&self.path.join(format!("{name}.lock")))
    }

    /// Where this name's certificate is.
    pub(crate) fn pem(&self, name: &str) -> PathBuf {
        self.path.join(format!("{name}.pem"))
    }

    /// Where this name's attempts are.
    pub(crate) fn json(&self, name: &str) -> PathBuf {
        self.path.join(format!("{name}.json"))
    }

    pub(crate) fn challenges(&self) -> PathBuf {
        self.path.join("challenges")
    }

    /// The names of all answers that lie there.
    pub(crate) fn answer_names(&self) -> Vec<String> {
        read::names(&self.challenges(), ".json", MOST_ANSWERS)
    }

    /// Reads one; nothing, if it is none.
    pub(crate) fn answer<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        read::json(&self.challenges().join(name), LONGEST_JSON).ok().flatten()
    }

    pub(crate) fn keep_answer(&self, name: &str, answer: &impl Serialize) -> Result<(), StateError> {
        file::replace_json(&self.challenges().join(name), answer)
    }

    pub(crate) fn forget_answer(&self, name: &str) {
        // One that is gone is what is wanted.
        let _ = std::fs::remove_file(self.challenges().join(name));
    }
}

#[cfg(test)]
mod tests;
