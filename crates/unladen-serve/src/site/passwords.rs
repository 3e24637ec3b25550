//! The principal type is [`Passwords`]: who has which password. A hash that is slow to try is tried on threads of its
//! own, few at a time; whoever got in once is known again for a while.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use argon2::{Argon2, PasswordHash, PasswordVerifier};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use tokio::sync::Semaphore;
use unladen_serve_config::{Users, UsersError};

/// Those who got in are known again for so long, as long as their line stays as it is.
const KNOWN: Duration = Duration::from_secs(600);
/// So many of them.
const MOST_KNOWN: usize = 4096;
/// So many wait for a hash to be tried.
const MOST_WAITING: usize = 64;
/// A name and a password together, in bytes.
const LONGEST: usize = 1024;
/// The largest file.
const LARGEST: u64 = 4 << 20;

/// Hashes are tried by half of the processors: the others answer requests.
static TURNS: LazyLock<Semaphore> = LazyLock::new(|| {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    Semaphore::new((processors / 2).max(1))
});
static WAITING: AtomicUsize = AtomicUsize::new(0);

/// Names and passwords.
pub(crate) struct Passwords {
    users: Users,
    /// What those are found by who got in, and when that was.
    known: Mutex<HashMap<[u8; 32], Instant>>,
    /// Of this process: what it keeps of passwords is of no use to another.
    salt: [u8; 32],
}

/// Why a file of passwords cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PasswordsError {
    #[error("cannot read the passwords in {}: {source}", file.display())]
    Read { file: PathBuf, source: io::Error },
    #[error("{}, {source}", file.display())]
    Line { file: PathBuf, source: UsersError },
    #[error("the system gives no random numbers")]
    Random,
}

/// What became of a name and a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tried {
    Right,
    /// Or none were said.
    Wrong,
    /// As many are being tried as may be.
    Busy,
}

/// One of those who wait.
struct Waiting;

// === impl Passwords ===

impl Passwords {
    /// Reads a file. On the main thread.
    ///
    /// # Errors
    /// It cannot be read, or has a line that is none.
    pub(super) fn read(file: &Path) -> Result<Self, PasswordsError> {
        let cannot = |source| PasswordsError::Read { file: file.to_owned(), source };
        let mut bytes = Vec::new();
        File::open(file).and_then(|open| open.take(LARGEST).read_to_end(&mut bytes)).map_err(cannot)?;
        let users = Users::parse(&bytes).map_err(|source| PasswordsError::Line { file: file.to_owned(), source })?;
        let mut salt = [0; 32];
        unladen_tls::provider().secure_random.fill(&mut salt).map_err(|_| PasswordsError::Random)?;
        Ok(Self { users, known: Mutex::default(), salt })
    }

    /// Tries what a request says in `Authorization`.
    pub(crate) async fn try_field(self: &Arc<Self>, field: Option<&[u8]>) -> Tried {
        let Some((name, password)) = field.and_then(credentials) else { return Tried::Wrong };
        // Of a name that there is not, another's is tried: the time that it takes tells nobody which names there are.
        let (hash, is_user) = match self.users.find(&name) {
            Some(hash) => (hash.to_owned(), true),
            None => match self.users.entries.first() {
                Some((_, hash)) => (hash.clone(), false),
                None => return Tried::Wrong,
            },
        };
        let mark = self.mark(&name, &password, &hash);
        if is_user && self.is_known(&mark) {
            return Tried::Right;
        }
        let Some(_waiting) = Waiting::begin() else { return Tried::Busy };
        let Ok(_turn) = TURNS.acquire().await else { return Tried::Busy };
        // Another request of the same may have waited for the same.
        if is_user && self.is_known(&mark) {
            return Tried::Right;
        }
        let tried = tokio::task::spawn_blocking(move || is_right(&password, &hash)).await;
        if !tried.unwrap_or(false) || !is_user {
            return Tried::Wrong;
        }
        self.remember(mark);
        Tried::Right
    }

    /// Found by what nobody can make but this process, so that how long it takes to find it tells nothing.
    fn mark(&self, name: &str, password: &[u8], hash: &str) -> [u8; 32] {
        let mut digest = Sha256::new();
        digest.update(self.salt);
        for part in [name.as_bytes(), password, hash.as_bytes()] {
            digest.update((part.len() as u64).to_be_bytes());
            digest.update(part);
        }
        digest.finalize().into()
    }

    fn is_known(&self, mark: &[u8; 32]) -> bool {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(mark).is_some_and(|since| since.elapsed() < KNOWN)
    }

    fn remember(&self, mark: [u8; 32]) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST_KNOWN {
            known.retain(|_, since| since.elapsed() < KNOWN);
        }
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert(mark, Instant::now());
    }
}

impl std::fmt::Debug for Passwords {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Passwords").field("users", &self.users).finish_non_exhaustive()
    }
}

// === impl Waiting ===

impl Waiting {
    fn begin() -> Option<Self> {
        let before = WAITING.fetch_add(1, Ordering::Relaxed);
        let place = Self;
        (before < MOST_WAITING).then_some(place)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        WAITING.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What `Authorization: Basic` says (RFC 7617, section 2): a name, which has no colon, and a password.
fn credentials(field: &[u8]) -> Option<(String, Vec<u8>)> {
    let (scheme, rest) = field.split_at_checked(6)?;
    if !scheme.eq_ignore_ascii_case(b"basic ") {
        return None;
    }
    let encoded = rest.trim_ascii();
    if encoded.len() > LONGEST * 4 / 3 + 4 {
        return None;
    }
    let mut pair = STANDARD.decode(encoded).ok()?;
    let colon = pair.iter().position(|byte| *byte == b':')?;
    let password = pair.split_off(colon + 1);
    pair.truncate(colon);
    Some((String::from_utf8(pair).ok()?, password))
}

/// Whether a hash is of this password. It takes long.
fn is_right(password: &[u8], hash: &str) -> bool {
    if hash.starts_with("$argon2id$") {
        return PasswordHash::new(hash).is_ok_and(|hash| Argon2::default().verify_password(password, &hash).is_ok());
    }
    bcrypt::verify(password, hash).unwrap_or(false)
}

#[cfg(test)]
mod tests;
