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

// === impl Answers ===

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

// === impl Table ===

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
mod tests {
    use super::*;
    use crate::wanted::ChallengeKind;

    const NOW: u64 = 1_790_000_000;

    fn put(folder: &Folder, kind: ChallengeKind, token: &str) -> String {
        let page = format!("{token}.thumbprint");
        let answer = Answer::new(kind, "example.org", token, (&page, &[7; 32]), NOW);
        let file = answer.file().unwrap();
        folder.keep_answer(&file, &answer).unwrap();
        file
    }

    #[test]
    fn an_answer_that_one_process_puts_there_another_gives() {
        let state = tempfile::tempdir().unwrap();
        let folder = Folder::new(state.path(), "https://acme.example/dir");
        folder.make().unwrap();
        let (one, other) = (Answers::default(), Answers::default());
        let file = put(&folder, ChallengeKind::Http01, "abc-_1");
        put(&folder, ChallengeKind::TlsAlpn01, "def");
        one.look(&folder, NOW);
        other.look(&folder, NOW);
        let path = b"/.well-known/acme-challenge/abc-_1";
        assert_eq!(one.page(path).as_deref(), Some("abc-_1.thumbprint"));
        assert_eq!(other.page(path), one.page(path));
        assert!(other.certificate("EXAMPLE.org").is_some() && other.certificate("b.org").is_none());
        for none in ["/.well-known/acme-challenge/def", "/.well-known/acme-challenge/", "/abc-_1"] {
            assert_eq!(one.page(none.as_bytes()), None, "{none}");
        }
        folder.forget_answer(&file);
        other.look(&folder, NOW);
        assert_eq!(other.page(path), None);
        assert!(other.certificate("example.org").is_some());
        other.forget(&folder);
        assert!(other.certificate("example.org").is_none());
    }

    #[test]
    fn an_answer_of_yesterday_is_removed_and_a_strange_one_not_given() {
        let state = tempfile::tempdir().unwrap();
        let folder = Folder::new(state.path(), "https://acme.example/dir");
        folder.make().unwrap();
        let file = put(&folder, ChallengeKind::Http01, "old");
        std::fs::write(folder.challenges().join("http-01.torn.json"), "{\"kind\":").unwrap();
        let strange = Answer::new(ChallengeKind::Http01, "a.org", "strange", ("<script>", &[7; 32]), NOW);
        folder.keep_answer("http-01.strange.json", &strange).unwrap();
        let answers = Answers::default();
        answers.look(&folder, NOW + 24 * 3600);
        for token in ["old", "torn", "strange"] {
            assert_eq!(answers.page(format!("/.well-known/acme-challenge/{token}").as_bytes()), None);
        }
        assert!(!folder.challenges().join(file).exists());
    }

    #[test]
    fn a_certificate_that_answers_has_the_digest_as_a_critical_extension() {
        let answer = Answer::new(ChallengeKind::TlsAlpn01, "example.org", "t", ("t.u", &[7; 32]), NOW);
        let certificate = answer.certificate().unwrap();
        let (_, parsed) = x509_parser::parse_x509_certificate(&certificate.cert[0]).unwrap();
        let extension = parsed.iter_extensions().find(|one| one.oid.to_id_string() == "1.3.6.1.5.5.7.1.31").unwrap();
        assert!(extension.critical);
        // An OCTET STRING of 32 bytes (RFC 8737, section 3).
        assert_eq!(extension.value[..2], [4, 32]);
        assert_eq!(extension.value[2..], [7; 32]);
    }
}
