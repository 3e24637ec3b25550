//! The principal type is [`Surroundings`]: what reading a configuration needs of the machine.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// What reading a configuration needs of the machine.
pub trait Surroundings {
    fn processors(&self) -> usize;

    /// A file's content.
    ///
    /// # Errors
    /// If it cannot be read, is no regular file or larger than 4 MiB.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// A number that changes with a file, for one that is too large to be read twice.
    ///
    /// # Errors
    /// If it is missing, or no regular file.
    fn stamp(&self, path: &Path) -> io::Result<u64>;

    /// A file's mode, as of chmod; `None` if unknown.
    fn mode(&self, path: &Path) -> Option<u32>;

    /// Where systemd has this service keep its state (`$STATE_DIRECTORY`).
    fn state_folder(&self) -> Option<PathBuf> {
        None
    }

    fn has_ipv6(&self) -> bool {
        true
    }
}

/// This machine.
#[derive(Clone, Copy, Debug)]
pub struct Machine;

/// The largest file that is read, in bytes.
const LARGEST: u64 = 4 << 20;

impl Surroundings for Machine {
    fn processors(&self) -> usize {
        std::thread::available_parallelism().map_or(1, usize::from)
    }

    /// A named pipe would hang, and a device not end.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if !fs::metadata(path)?.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        let mut bytes = Vec::new();
        fs::File::open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > LARGEST { Err(io::Error::other("it is larger than 4 MiB")) } else { Ok(bytes) }
    }

    fn stamp(&self, path: &Path) -> io::Result<u64> {
        let metadata = fs::metadata(path)?;
        if !metadata.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        let mut stamp = DefaultHasher::new();
        (metadata.dev(), metadata.ino(), metadata.len(), metadata.mtime(), metadata.mtime_nsec()).hash(&mut stamp);
        Ok(stamp.finish())
    }

    fn mode(&self, path: &Path) -> Option<u32> {
        fs::metadata(path).ok().map(|metadata| metadata.mode() & 0o7777)
    }

    fn has_ipv6(&self) -> bool {
        Path::new("/proc/net/if_inet6").exists()
    }

    /// The first of several.
    fn state_folder(&self) -> Option<PathBuf> {
        let folders = std::env::var_os("STATE_DIRECTORY")?.into_string().ok()?;
        folders.split(':').next().filter(|folder| folder.starts_with('/')).map(PathBuf::from)
    }
}
