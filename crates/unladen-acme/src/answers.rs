//! The principal type is [`Answers`]: current answers to authorities' challenges.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwapOption;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use rcgen::{CertificateParams, CustomExtension, DistinguishedName, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::sign::CertifiedKey;
use serde::{Deserialize, Serialize};

use crate::state::Folder;
use crate::wanted::ChallengeKind;

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

/// Longest validity of an answer, in seconds.
const LASTS: u64 = 3600;
/// The longest token; Let's Encrypt's have 43 characters.
const LONGEST_TOKEN: usize = 256;
const DIGEST: usize = 32;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Answer {
    /// `http-01` or `tls-alpn-01`.
    kind: String,
    pub(crate) name: String,
    /// Token in the page's path.
    pub(crate) token: String,
    /// The page's content (RFC 8555, section 8.1).
    pub(crate) key_authorization: String,
    /// The content's SHA-256 in base64url.
    digest: String,
    until: u64,
}

impl Answer {
    pub(crate) fn new(
        kind: ChallengeKind,
        name: &str,
        token: &str,
        (key_authorization, digest): (&str, &[u8]),
        now: u64,
    ) -> Self {
        Self {
            kind: kind.as_str().to_owned(),
            name: name.to_owned(),
            token: token.to_owned(),
            key_authorization: key_authorization.to_owned(),
            digest: BASE64_URL_SAFE_NO_PAD.encode(digest),
            until: now + LASTS,
        }
    }

    /// The file name, which differs between kinds; `None` for an invalid token, which would make no file name.
    pub(crate) fn file(&self) -> Option<String> {
        is_token(&self.token).then(|| format!("{}.{}.json", self.kind, self.token))
    }

    /// Whether it may be given now. Its writer is unknown.
    pub(crate) fn is_usable(&self, now: u64) -> bool {
        let thumbprint = self.key_authorization.strip_prefix(&self.token).and_then(|rest| rest.strip_prefix('.'));
        is_token(&self.token) && thumbprint.is_some_and(is_token) && (now..=now + 2 * LASTS).contains(&self.until)
    }

    pub(crate) fn is_http(&self) -> bool {
        self.kind == ChallengeKind::Http01.as_str()
    }

    /// The certificate that answers by TLS (RFC 8737, section 3): for this name alone, self-signed, with the digest.
    pub(crate) fn certificate(&self) -> Option<Arc<CertifiedKey>> {
        if self.kind != ChallengeKind::TlsAlpn01.as_str() {
            return None;
        }
        let digest = BASE64_URL_SAFE_NO_PAD.decode(&self.digest).ok().filter(|digest| digest.len() == DIGEST)?;
        let mut params = CertificateParams::new([self.name.clone()]).ok()?;
        params.distinguished_name = DistinguishedName::new();
        params.custom_extensions = vec![CustomExtension::new_acme_identifier(&digest)];
        let key = KeyPair::generate().ok()?;
        let certificate = params.self_signed(&key).ok()?;
        let key = PrivateKeyDer::try_from(key.serialize_der()).ok()?;
        let key = unladen_tls::provider().key_provider.load_private_key(key).ok()?;
        // Not `from_der`: it rejects a certificate with this extension, which is critical.
        Some(Arc::new(CertifiedKey::new(vec![certificate.der().clone()], key)))
    }
}

/// base64url (RFC 8555, section 8.3).
pub(crate) fn is_token(text: &str) -> bool {
    (1..=LONGEST_TOKEN).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

#[cfg(test)]
mod tests;
