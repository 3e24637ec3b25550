//! The principal type is [`Root`]: a folder that is held open. [`KnownFolders`] is a short-lived memory of folders
//! beneath it.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use rustix::fs::{FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use crate::htaccess::{Htaccess, LONGEST};

/// A folder that is held open, so that nothing outside of it can be reached.
///
/// Its path may be a link that is moved later, as deployments do: it is looked at once a second. Until then, and while
/// nothing is there, the previous folder stays in use.
#[derive(Debug)]
pub struct Root {
    path: PathBuf,
    folder: ArcSwap<Folder>,
    /// Other folders that links may lead to.
    links: Vec<Folder>,
    began: Instant,
    /// Last look at the path, in milliseconds since `began`.
    looked: AtomicU64,
}

#[derive(Debug)]
pub(crate) struct Folder {
    dir: OwnedFd,
    /// Without links.
    pub(crate) real: PathBuf,
    device: u64,
    inode: u64,
    known: KnownFolders,
}

/// Why a folder cannot be a root.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RootError {
    #[error("root = {path:?}: {source}; it has to be a folder that this process may enter")]
    NotOpened { path: PathBuf, source: io::Error },
    /// A folder of `links` cannot be opened.
    #[error("links = {path:?}: {source}; it has to be a folder that this process may enter")]
    NotLinked { path: PathBuf, source: io::Error },
    #[error(
        "root = {path:?}: this kernel cannot confine paths to a folder (openat2: {source}); serving files needs Linux \
         5.6 or later, without a system-call filter (seccomp) that forbids openat2"
    )]
    NoOpenat2 { path: PathBuf, source: io::Error },
}

const LOOK: Duration = Duration::from_secs(1);
/// Attempts to resolve a path while folders are moved (openat2(2), EAGAIN).
const ATTEMPTS: usize = 16;

impl Root {
    /// Opens a folder.
    ///
    /// # Errors
    /// If it is none, may not be entered, or the kernel is too old.
    pub fn open(path: &Path) -> Result<Self, RootError> {
        let folder = Folder::open(path).map_err(|source| RootError::NotOpened { path: path.to_owned(), source })?;
        folder.beneath(b".", OFlags::PATH | OFlags::DIRECTORY).map_err(|errno| match errno {
            Errno::NOSYS | Errno::PERM | Errno::INVAL => {
                RootError::NoOpenat2 { path: path.to_owned(), source: errno.into() }
            }
            errno => RootError::NotOpened { path: path.to_owned(), source: errno.into() },
        })?;
        let (began, looked) = (Instant::now(), AtomicU64::new(0));
        Ok(Self { path: path.to_owned(), folder: ArcSwap::from_pointee(folder), links: Vec::new(), began, looked })
    }

    /// Permits links to these folders and what is beneath them.
    ///
    /// # Errors
    /// If one cannot be opened.
    pub fn with_links<'p>(mut self, folders: impl IntoIterator<Item = &'p Path>) -> Result<Self, RootError> {
        for path in folders {
            let folder = Folder::open(path);
            self.links.push(folder.map_err(|source| RootError::NotLinked { path: path.to_owned(), source })?);
        }
        Ok(self)
    }

    pub(crate) fn links(&self) -> &[Folder] {
        &self.links
    }

    /// The path as given to [`Root::open`].
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its current path, without links.
    pub fn real(&self) -> PathBuf {
        self.folder.load().real.clone()
    }

    /// The folder that the path leads to, at most a second old at `now`.
    pub(crate) fn folder(&self, now: Instant) -> arc_swap::Guard<Arc<Folder>> {
        let since = u64::try_from(now.saturating_duration_since(self.began).as_millis()).unwrap_or(u64::MAX);
        let looked = self.looked.load(Ordering::Relaxed);
        if since.saturating_sub(looked) >= LOOK.as_millis() as u64
            && self.looked.compare_exchange(looked, since, Ordering::Relaxed, Ordering::Relaxed).is_ok()
        {
            self.look();
        }
        self.folder.load()
    }

    pub(crate) fn now(&self) -> arc_swap::Guard<Arc<Folder>> {
        self.folder.load()
    }

    fn look(&self) {
        let Ok(stat) = rustix::fs::stat(&self.path) else { return };
        if !self.folder.load().is(&stat)
            && let Ok(folder) = Folder::open(&self.path)
        {
            self.folder.store(Arc::new(folder));
        }
    }
}

impl Folder {
    fn open(path: &Path) -> io::Result<Self> {
        let real = std::fs::canonicalize(path)?;
        let dir = rustix::fs::open(&real, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        let stat = rustix::fs::fstat(&dir)?;
        Ok(Self { dir, real, device: stat.st_dev, inode: stat.st_ino, known: KnownFolders::default() })
    }

    fn is(&self, stat: &rustix::fs::Stat) -> bool {
        (self.device, self.inode) == (stat.st_dev, stat.st_ino)
    }

    /// A folder beneath the root; the root itself if the path is empty. See [`KnownFolders::get`].
    pub(crate) fn known(&self, path: &[u8], now: Instant) -> Arc<KnownFolder> {
        self.known.get(path, now, || KnownFolder { htaccess: self.htaccess(path), real: OnceLock::new() })
    }

    /// A folder's path without links, at most a second old.
    pub(crate) fn real_of(&self, path: &[u8], now: Instant) -> PathBuf {
        let real = || {
            let whole = self.real.join(OsStr::from_bytes(path));
            std::fs::canonicalize(&whole).unwrap_or(whole)
        };
        self.known(path, now).real.get_or_init(real).clone()
    }

    pub(crate) fn htaccess(&self, path: &[u8]) -> Option<Htaccess> {
        let separator: &[u8] = if path.is_empty() { b"" } else { b"/" };
        let path = [path, separator, b".htaccess"].concat();
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = match self.beneath(&path, flags) {
            // Only its access rules are used.
            Err(Errno::LOOP) => {
                rustix::fs::open(self.real.join(OsStr::from_bytes(&path)), flags | OFlags::CLOEXEC, Mode::empty())
            }
            opened => opened,
        };
        match file {
            Ok(file) => Some(read_htaccess(file)),
            Err(Errno::NOENT | Errno::NOTDIR) => None,
            Err(_) => Some(Htaccess::unread()),
        }
    }

    /// Opens a path beneath it without links on the way (`ELOOP` if there is one).
    pub(crate) fn beneath(&self, path: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_SYMLINKS;
        let mut last = Errno::AGAIN;
        for _ in 0..ATTEMPTS {
            match rustix::fs::openat2(&self.dir, path, flags | OFlags::CLOEXEC, Mode::empty(), resolve) {
                Err(errno @ (Errno::AGAIN | Errno::INTR)) => last = errno,
                opened => return opened,
            }
        }
        Err(last)
    }
}

/// A file that cannot be read, or is too long, may refuse anything.
fn read_htaccess(file: OwnedFd) -> Htaccess {
    let is_regular =
        rustix::fs::fstat(&file).is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile);
    let mut text = Vec::new();
    let most = LONGEST as u64 + 1;
    if is_regular && File::from(file).take(most).read_to_end(&mut text).is_ok() && text.len() <= LONGEST {
        Htaccess::parse(&text)
    } else {
        Htaccess::unread()
    }
}

const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// Beyond, all are forgotten.
const MOST: usize = 4096;

/// By path, with the time of the last look.
type Known = HashMap<Vec<u8>, (Instant, Arc<KnownFolder>)>;

#[derive(Debug)]
pub(crate) struct KnownFolder {
    pub(crate) htaccess: Option<Htaccess>,
    /// Without links: only scripts need it.
    pub(crate) real: OnceLock<PathBuf>,
}

/// A memory of folders beneath a root: many files of one folder are requested at a time, and need no further look at
/// it.
#[derive(Debug, Default)]
struct KnownFolders {
    known: Mutex<Known>,
}

impl KnownFolders {
    /// A folder's state, at most a second old at `now`.
    pub(crate) fn get(&self, path: &[u8], now: Instant, look: impl FnOnce() -> KnownFolder) -> Arc<KnownFolder> {
        let lock = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, folder)) = lock().get(path)
            && now.saturating_duration_since(*at) < LOOK_AGAIN
        {
            return folder.clone();
        }
        let folder = Arc::new(look());
        let mut known = lock();
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(path.to_vec(), (now, folder.clone()));
        folder
    }
}
