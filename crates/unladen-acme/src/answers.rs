//! The principal type is [`Answers`]: what authorities that ask now are to be answered.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwapOption;
use rustls::sign::CertifiedKey;

use crate::answer::Answer;
use crate::state::Folder;

/// Where pages for authorities are (RFC 8555, section 8.3).
const PREFIX: &[u8] = b"/.well-known/acme-challenge/";
/// The protocol by which an authority looks at a certificate alone (RFC 8737, section 6.2).
pub const ACME_TLS: &[u8] = b"acme-tls/1";

/// What authorities that ask now are to be answered: whatever lies in the folders that are looked at, whichever process
/// has put it there. Threads that carry requests read it without a lock.
#[derive(Debug, Default)]
pub struct Answers {
    /// None: nobody is expected to ask.
    table: ArcSwapOption<Table>,
    folders: Mutex<BTreeMap<PathBuf, Seen>>,
}

/// Of one folder.
#[derive(Debug, Default)]
struct Seen {
    files: Vec<String>,
    answers: Vec<(Answer, Option<Arc<CertifiedKey>>)>,
}

#[derive(Debug, Default)]
struct Table {
    pages: HashMap<String, Arc<str>>,
    certificates: HashMap<String, Arc<CertifiedKey>>,
}

impl Answers {
    /// The page at this path, without its query, if an authority is expected to ask for it.
    #[inline]
    pub fn page(&self, path: &[u8]) -> Option<Arc<str>> {
        let token = path.strip_prefix(PREFIX)?;
        let table = self.table.load();
        table.as_ref()?.pages.get(std::str::from_utf8(token).ok()?).cloned()
    }

    /// The certificate for an authority that asks by [`ACME_TLS`] for this name.
    pub fn certificate(&self, name: &str) -> Option<Arc<CertifiedKey>> {
        let table = self.table.load();
        table.as_ref()?.certificates.get(&name.to_ascii_lowercase()).cloned()
    }

    /// Reads what lies in a folder, if other files do than before.
    pub(crate) fn look(&self, folder: &Folder, now: u64) {
        let files = folder.answer_names();
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = folders.entry(folder.challenges()).or_default();
        if seen.files == files {
            return;
        }
        let read = |file: &String| {
            let answer: Answer = folder.answer(file)?;
            if answer.is_usable(now) && answer.file().as_ref() == Some(file) {
                return Some(answer);
            }
            // Left by a process that died.
            folder.forget_answer(file);
            None
        };
        let answers = files.iter().filter_map(read).map(|answer| {
            let certificate = answer.certificate();
            (answer, certificate)
        });
        *seen = Seen { answers: answers.collect(), files };
        self.table.store(Table::of(folders.values()).map(Arc::new));
    }

    /// A folder is no longer looked at.
    pub(crate) fn forget(&self, folder: &Folder) {
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        folders.remove(&folder.challenges());
        self.table.store(Table::of(folders.values()).map(Arc::new));
    }
}

impl Table {
    /// None: there is nothing.
    fn of<'a>(folders: impl Iterator<Item = &'a Seen>) -> Option<Self> {
        let mut table = Self::default();
        for (answer, certificate) in folders.flat_map(|seen| &seen.answers) {
            match certificate {
                Some(certificate) => drop(table.certificates.insert(answer.name.clone(), certificate.clone())),
                None if answer.is_http() => {
                    table.pages.insert(answer.token.clone(), answer.key_authorization.as_str().into());
                }
                None => {}
            }
        }
        (!table.pages.is_empty() || !table.certificates.is_empty()).then_some(table)
    }
}

#[cfg(test)]
mod tests;
