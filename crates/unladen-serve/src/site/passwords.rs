//! The principal type is [`Passwords`]: checks names and passwords. Slow hashes are checked on threads of their own,
//! few at a time; successes are remembered for a while.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::File;
use std::io;
use std::io::Read;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use argon2::{Argon2, PasswordHash, PasswordVerifier};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use tokio::sync::{Semaphore, watch};
use unladen_serve_config::{Users, UsersError};

use crate::limits::crowd::network;

/// How long a success is remembered, as long as its line is unchanged.
const KNOWN: Duration = Duration::from_secs(600);
const MOST_KNOWN: usize = 4096;
/// Longest name and password together, in bytes.
const LONGEST: usize = 1024;
/// Largest file, in bytes.
const LARGEST: u64 = 4 << 20;

pub(crate) struct Passwords {
    users: Users,
    /// When each remembered success was, by mark.
    known: Mutex<HashMap<Mark, Instant>>,
    trials: Arc<Trials>,
    /// Per process: its marks are of no use to another.
    salt: [u8; 32],
    /// Digest of the file: as secret as its hashes, and the same after a restart.
    digest: [u8; 32],
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum PasswordsError {
    #[error("cannot read the passwords in {}: {source}", file.display())]
    Read { file: PathBuf, source: io::Error },
    #[error("{}, {source}", file.display())]
    Line { file: PathBuf, source: UsersError },
    #[error("the system gives no random numbers")]
    Random,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tried {
    Right,
    /// Also if none were given.
    Wrong,
    /// The bound on trials is reached …
    Busy,
    /// … or this client's.
    TooMany,
}

impl Passwords {
    /// To be called on the main thread.
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

    /// Checks `Authorization` for a client at this address; `None` for a Unix socket.
    pub(crate) async fn try_field(self: &Arc<Self>, field: Option<&[u8]>, address: Option<IpAddr>) -> Tried {
        let Some((name, password)) = field.and_then(credentials) else { return Tried::Wrong };
        // For an unknown name another's hash is tried, so that the time taken does not reveal which names exist.
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
            // A page's images are requested all at once, with the same password.
            let mut other = match self.trials.join(mark) {
                Joined::First(trial) => break trial,
                Joined::Other(other) => other,
            };
            // An error means that its checker left before its turn.
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
            // It goes on, and counts, even if its client leaves.
            drop((place, turn));
            is_right
        });
        if tried.await.unwrap_or(false) { Tried::Right } else { Tried::Wrong }
    }

    /// Hash tried for an unknown name: always the same for that name, and each of the file's equally often, as they may
    /// differ in duration.
    fn stand_in(&self, name: &str) -> Option<&str> {
        let digest = Sha256::new().chain_update(self.digest).chain_update(name).finalize();
        let number = u64::from_be_bytes(*digest.first_chunk()?);
        let at = number.checked_rem(self.users.entries.len() as u64)?;
        self.users.entries.get(usize::try_from(at).ok()?).map(|(_, hash)| &**hash)
    }

    /// Salted, so that nobody else can make it, and lookup times reveal nothing.
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

/// Parses `Authorization: Basic` (RFC 7617, section 2): a name without colon, and a password.
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

fn is_right(password: &[u8], hash: &str) -> bool {
    if hash.starts_with("$argon2id$") {
        return PasswordHash::new(hash).is_ok_and(|hash| Argon2::default().verify_password(password, &hash).is_ok());
    }
    bcrypt::verify(password, hash).unwrap_or(false)
}

/// Most requests waiting for a hash …
const MOST_WAITING: usize = 64;
/// … and of one client, which leaves room for the others.
const MOST_OF_CLIENT: usize = 4;

/// Half of the processors check hashes; the others answer requests.
static TURNS: LazyLock<Semaphore> = LazyLock::new(|| {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    Semaphore::new((processors / 2).max(1))
});
/// Shared by all sites.
static PLACES: LazyLock<Places> = LazyLock::new(Places::default);

/// Identifies a name, a password and a hash together.
type Mark = [u8; 32];

#[derive(Debug, Default)]
struct Trials(Mutex<HashMap<Mark, watch::Receiver<Option<bool>>>>);

/// A name and password being checked. Equal ones wait for its result, and few are checked at a time for each client.
struct Trial {
    trials: Arc<Trials>,
    mark: Mark,
    tell: watch::Sender<Option<bool>>,
}

enum Joined {
    First(Trial),
    Other(watch::Receiver<Option<bool>>),
}

#[derive(Debug, Default)]
struct Places(Mutex<Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    all: usize,
    /// By network; Unix sockets are not in it.
    clients: HashMap<IpAddr, usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Full {
    OfClient,
    OfAll,
}

#[derive(Debug)]
struct Place<'p> {
    places: &'p Places,
    client: Option<IpAddr>,
}

impl Trials {
    fn join(self: &Arc<Self>, mark: Mark) -> Joined {
        match lock(&self.0).entry(mark) {
            Entry::Occupied(trying) => Joined::Other(trying.get().clone()),
            Entry::Vacant(none) => {
                let (tell, told) = watch::channel(None);
                none.insert(told);
                Joined::First(Trial { trials: self.clone(), mark, tell })
            }
        }
    }

    #[cfg(test)]
    fn is_empty(&self) -> bool {
        lock(&self.0).is_empty()
    }
}

impl Trial {
    fn end(self, is_right: bool) {
        self.tell.send_replace(Some(is_right));
    }
}

impl Drop for Trial {
    fn drop(&mut self) {
        lock(&self.trials.0).remove(&self.mark);
    }
}

impl Places {
    fn take(&self, address: Option<IpAddr>) -> Result<Place<'_>, Full> {
        let client = address.map(network);
        let mut waiting = lock(&self.0);
        let has = client.and_then(|client| waiting.clients.get(&client)).copied().unwrap_or_default();
        if has >= MOST_OF_CLIENT {
            return Err(Full::OfClient);
        }
        if waiting.all >= MOST_WAITING {
            return Err(Full::OfAll);
        }
        waiting.all += 1;
        if let Some(client) = client {
            waiting.clients.insert(client, has + 1);
        }
        Ok(Place { places: self, client })
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut waiting = lock(&self.places.0);
        waiting.all = waiting.all.saturating_sub(1);
        if let Some(client) = self.client
            && let Entry::Occupied(mut has) = waiting.clients.entry(client)
        {
            *has.get_mut() = has.get().saturating_sub(1);
            if *has.get() == 0 {
                has.remove();
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
