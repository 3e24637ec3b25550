//! The principal type is [`Passwords`]: who has which password. A hash that is slow to try is tried on threads of its
//! own, few at a time; whoever got in once is known again for a while.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use argon2::{Argon2, PasswordHash, PasswordVerifier};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use unladen_serve_config::{Users, UsersError};

use self::trial::{Full, Joined, Mark, PLACES, TURNS, Trials};

mod trial;

/// Those who got in are known again for so long, as long as their line stays as it is.
const KNOWN: Duration = Duration::from_secs(600);
/// So many of them.
const MOST_KNOWN: usize = 4096;
/// A name and a password together, in bytes.
const LONGEST: usize = 1024;
/// The largest file.
const LARGEST: u64 = 4 << 20;

/// Names and passwords.
pub(crate) struct Passwords {
    users: Users,
    /// What those are found by who got in, and when that was.
    known: Mutex<HashMap<Mark, Instant>>,
    trials: Arc<Trials>,
    /// Of this process: what it keeps of passwords is of no use to another.
    salt: [u8; 32],
    /// Of the file: as secret as its hashes, and the same after a restart.
    digest: [u8; 32],
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
    /// As many of this client are being tried as may be.
    TooMany,
}

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
        let digest = Sha256::digest(&bytes).into();
        Ok(Self { users, known: Mutex::default(), trials: Arc::default(), salt, digest })
    }

    /// Tries what a request says in `Authorization`, for a client at this address; none: it came by a Unix socket.
    pub(crate) async fn try_field(self: &Arc<Self>, field: Option<&[u8]>, address: Option<IpAddr>) -> Tried {
        let Some((name, password)) = field.and_then(credentials) else { return Tried::Wrong };
        // Of a name that there is not, another's is tried: the time that it takes tells nobody which names there are.
        let (hash, is_user) = match self.users.find(&name) {
            Some(hash) => (hash.to_owned(), true),
            None => match self.stand_in(&name) {
                Some(hash) => (hash.to_owned(), false),
                None => return Tried::Wrong,
            },
        };
        let mark = self.mark(&name, &password, &hash);
        let trial = loop {
            if is_user && self.is_known(&mark) {
                return Tried::Right;
            }
            // A page's images are asked for all at once, with the same password.
            let mut other = match self.trials.join(mark) {
                Joined::First(trial) => break trial,
                Joined::Other(other) => other,
            };
            // An error: whoever tried it has left before its turn.
            if let Ok(is_right) = other.wait_for(Option::is_some).await {
                return if *is_right == Some(true) { Tried::Right } else { Tried::Wrong };
            }
        };
        let place = match PLACES.take(address) {
            Ok(place) => place,
            Err(Full::OfClient) => return Tried::TooMany,
            Err(Full::OfAll) => return Tried::Busy,
        };
        let Ok(turn) = TURNS.acquire().await else { return Tried::Busy };
        let passwords = self.clone();
        let tried = tokio::task::spawn_blocking(move || {
            let is_right = is_right(&password, &hash) && is_user;
            if is_right {
                passwords.remember(mark);
            }
            trial.end(is_right);
            // A client that leaves does not stop this: until it is done, it counts.
            drop((place, turn));
            is_right
        });
        if tried.await.unwrap_or(false) { Tried::Right } else { Tried::Wrong }
    }

    /// The hash that is tried for a name that there is not: always the same one for this name, and each of the file's
    /// as often as any other, as they may differ in how long they take.
    fn stand_in(&self, name: &str) -> Option<&str> {
        let digest = Sha256::new().chain_update(self.digest).chain_update(name).finalize();
        let number = u64::from_be_bytes(*digest.first_chunk()?);
        let at = number.checked_rem(self.users.entries.len() as u64)?;
        self.users.entries.get(usize::try_from(at).ok()?).map(|(_, hash)| &**hash)
    }

    /// Found by what nobody can make but this process, so that how long it takes to find it tells nothing.
    fn mark(&self, name: &str, password: &[u8], hash: &str) -> Mark {
        let mut digest = Sha256::new();
        digest.update(self.salt);
        for part in [name.as_bytes(), password, hash.as_bytes()] {
            digest.update((part.len() as u64).to_be_bytes());
            digest.update(part);
        }
        digest.finalize().into()
    }

    fn is_known(&self, mark: &Mark) -> bool {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(mark).is_some_and(|since| since.elapsed() < KNOWN)
    }

    fn remember(&self, mark: Mark) {
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
