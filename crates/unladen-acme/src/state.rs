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

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg, OFlag};
use serde::Serialize;
use serde::de::DeserializeOwned;

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
        Self { path: state.join(name_of(directory)) }
    }

    /// Creates missing folders, for this user alone.
    pub(crate) fn make(&self) -> Result<(), StateError> {
        make(&self.challenges())
    }

    /// The certificate of this name, if it is valid.
    pub(crate) fn issued(&self, name: &str) -> Found<Issued> {
        parsed(&self.pem(name), LONGEST_PEM, |bytes| Issued::parse(bytes).map_err(|error| error.to_string()))
    }

    /// Replaces the certificate: readers see the old or the new one.
    pub(crate) fn keep_issued(&self, name: &str, pem: &str) -> Result<(), StateError> {
        replace(&self.pem(name), pem.as_bytes())
    }

    pub(crate) fn schedule(&self, name: &str, now: u64) -> Found<Schedule> {
        parsed(&self.json(name), LONGEST_JSON, |bytes| {
            let schedule: Schedule = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
            if schedule.is_plausible(now) { Ok(schedule) } else { Err("its times are too far away".to_owned()) }
        })
    }

    pub(crate) fn keep_schedule(&self, name: &str, schedule: &Schedule) -> Result<(), StateError> {
        replace_json(&self.json(name), schedule)
    }

    pub(crate) fn account<T: DeserializeOwned>(&self) -> Found<T> {
        json(&self.account_path(), LONGEST_JSON)
    }

    pub(crate) fn keep_account(&self, account: &impl Serialize) -> Result<(), StateError> {
        replace_json(&self.account_path(), account)
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
        names(&self.challenges(), ".json", MOST_ANSWERS)
    }

    /// Reads an answer; `None` if it is invalid.
    pub(crate) fn answer<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        json(&self.challenges().join(name), LONGEST_JSON).ok().flatten()
    }

    pub(crate) fn keep_answer(&self, name: &str, answer: &impl Serialize) -> Result<(), StateError> {
        replace_json(&self.challenges().join(name), answer)
    }

    pub(crate) fn forget_answer(&self, name: &str) {
        // A missing file is fine.
        let _ = std::fs::remove_file(self.challenges().join(name));
    }
}

/// Held until it is dropped, or the process ends. On Linux it also works over NFS.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: Flock<File>,
}

impl Lock {
    /// `None` if another process has it.
    pub(super) fn take(path: &Path) -> Result<Option<Self>, StateError> {
        let flags = (OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC).bits();
        let file =
            OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).custom_flags(flags).open(path);
        let file = file.map_err(StateError::of("open", path))?;
        match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
            Ok(file) => Ok(Some(Self { _file: file })),
            Err((_, Errno::EWOULDBLOCK)) => Ok(None),
            Err((_, errno)) => Err(StateError::of("lock", path)(io::Error::from(errno))),
        }
    }
}

/// A part of the state: `None` if it is missing; the error says why it is invalid.
pub(crate) type Found<T> = Result<Option<T>, String>;

pub(crate) fn parsed<T>(path: &Path, longest: u64, parse: impl FnOnce(&[u8]) -> Result<T, String>) -> Found<T> {
    let bytes = match bytes(path, longest) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    parse(&bytes).map(Some)
}

pub(crate) fn json<T: DeserializeOwned>(path: &Path, longest: u64) -> Found<T> {
    parsed(path, longest, |bytes| serde_json::from_slice(bytes).map_err(|error| error.to_string()))
}

/// Reads files that others may have written: bounded, and without following links.
fn bytes(path: &Path, longest: u64) -> io::Result<Vec<u8>> {
    // A pipe would block for ever.
    let flags = OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_CLOEXEC;
    let file = OpenOptions::new().read(true).custom_flags(flags.bits()).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let mut bytes = Vec::new();
    file.take(longest + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > longest {
        return Err(io::Error::other(format!("it is longer than {longest} bytes")));
    }
    Ok(bytes)
}

/// Names in a folder with this suffix; empty if it cannot be read.
pub(crate) fn names(folder: &Path, end: &str, most: usize) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let names = entries.take(most).filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(end)).collect();
    names.sort_unstable();
    names
}

/// The state cannot be stored.
#[derive(Debug, thiserror::Error)]
#[error("cannot {doing} {}: {source}{}", path.display(), hint(source))]
pub struct StateError {
    pub path: PathBuf,
    pub doing: &'static str,
    pub source: io::Error,
}

impl StateError {
    pub(super) fn of(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self { path: path.to_owned(), doing, source }
    }
}

fn hint(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "; set `state` of `acme` to a folder that this user may write to (StateDirectory= of systemd creates one)"
        }
        _ => "",
    }
}

/// Creates a folder and its parents, for this user alone.
pub(crate) fn make(path: &Path) -> Result<(), StateError> {
    DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(StateError::of("create the folder", path))
}

/// Replaces a file, for this user alone: after a loss of power it is the old one or the new one.
fn replace(path: &Path, bytes: &[u8]) -> Result<(), StateError> {
    let new = path.with_extension(format!("new.{}", std::process::id()));
    let written = write(&new, bytes).map_err(StateError::of("write", &new));
    let replaced = written.and_then(|()| std::fs::rename(&new, path).map_err(StateError::of("replace", path)));
    if replaced.is_err() {
        let _ = std::fs::remove_file(&new);
    }
    replaced?;
    // The folder holds the name.
    let folder = path.parent().unwrap_or(Path::new("."));
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(StateError::of("sync", folder))
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // Left by a dead process with this number. A link that somebody put here is not followed.
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

fn replace_json(path: &Path, value: &impl Serialize) -> Result<(), StateError> {
    let text = serde_json::to_vec_pretty(value).map_err(io::Error::from).map_err(StateError::of("write", path))?;
    replace(path, &text)
}

/// A folder name that is unique for each URL: unsuitable characters are written as numbers.
fn name_of(directory: &str) -> String {
    let rest = directory.strip_prefix("https://").unwrap_or(directory);
    let mut name = String::new();
    for byte in rest.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' => name.push(char::from(byte)),
            b'.' if !name.is_empty() => name.push('.'),
            _ => name.push_str(&format!("_{byte:02x}")),
        }
    }
    name
}

#[cfg(test)]
mod tests;
