//! The principal type is [`Answers`]: current answers to authorities' challenges.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwapOption;
use rustls::sign::CertifiedKey;

use crate::answer::Answer;
use crate::state::Folder;

/// Path of challenge pages (RFC 8555, section 8.3).
const PREFIX: &[u8] = b"/.well-known/acme-challenge/";
/// The protocol by which an authority asks only for a certificate (RFC 8737, section 6.2).
pub const ACME_TLS: &[u8] = b"acme-tls/1";

/// Current answers to authorities' challenges: all files in the watched folders, whichever process has written them.
/// Threads that carry requests read them without a lock.
#[derive(Debug, Default)]
pub struct Answers {
    /// `None` if no challenge is expected.
    table: ArcSwapOption<Table>,
    folders: Mutex<BTreeMap<PathBuf, Seen>>,
}

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
    /// The page at this path, without query, if it answers an expected challenge.
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

    pub(crate) fn forget(&self, folder: &Folder) {
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        folders.remove(&folder.challenges());
        self.table.store(Table::of(folders.values()).map(Arc::new));
    }
}

impl Table {
    /// `None` if there are no answers.
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
