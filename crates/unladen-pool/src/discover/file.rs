//! The principal type is [`EndpointFile`]: a file that tells the endpoints, read again whenever it may have changed.

use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::change::Changes;
use super::error::DiscoverError;
use super::found::Found;
use super::list;

/// Nobody means a larger file.
const LARGEST: u64 = 4 << 20;
/// Several steps of one change are read once, when they are over.
const QUIET: Duration = Duration::from_millis(100);
/// It is looked at this often, too: there are file systems whose changes nobody tells.
const LOOK: Duration = Duration::from_secs(10);

/// A file that tells the endpoints.
#[derive(Debug)]
pub(super) struct EndpointFile {
    path: PathBuf,
    /// None: not looked at yet, or the system tells of no changes.
    changes: Option<Changes>,
    is_new: bool,
    /// Of the file that was read last; none: there was none.
    stamp: Option<Stamp>,
}

/// What is another when the file is: device, inode, length, and when it was written and changed, in s and ns.
type Stamp = (u64, u64, u64, [i64; 4]);

impl EndpointFile {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, changes: None, is_new: true, stamp: None }
    }

    /// What it says, the first time at once, and then when it may say something else.
    pub(super) async fn next(&mut self) -> Result<Vec<Found>, DiscoverError> {
        if std::mem::take(&mut self.is_new) {
            self.changes = Changes::new().ok();
            self.stamp = self.watch();
            return read(&self.path);
        }
        loop {
            self.wait().await;
            let stamp = self.watch();
            // Others may be busy in its folder.
            if stamp.is_none() || stamp != self.stamp {
                self.stamp = stamp;
                return read(&self.path);
            }
        }
    }

    /// Before it is read, so that what changes afterwards is told; each time, as links may lead elsewhere now. What
    /// cannot be watched is looked at all the same.
    fn watch(&self) -> Option<Stamp> {
        if let Some(changes) = &self.changes {
            let _ = changes.watch(&self.path);
        }
        let of = |file: fs::Metadata| {
            let times = [file.mtime(), file.mtime_nsec(), file.ctime(), file.ctime_nsec()];
            (file.dev(), file.ino(), file.len(), times)
        };
        fs::metadata(&self.path).ok().map(of)
    }

    async fn wait(&mut self) {
        let told = async {
            match &self.changes {
                Some(changes) => changes.next().await,
                None => std::future::pending().await,
            }
        };
        if tokio::time::timeout(LOOK, told).await.is_ok() {
            tokio::time::sleep(QUIET).await;
        }
    }
}

/// What a file says now.
pub(super) fn read(path: &Path) -> Result<Vec<Found>, DiscoverError> {
    let bytes = bytes(path).map_err(|source| DiscoverError::Read { file: path.to_owned(), source })?;
    list::parse(&bytes).map_err(|error| DiscoverError::Wrong {
        file: path.to_owned(),
        line: error.line(),
        column: error.column(),
        why: list::why(&error),
    })
}

/// A named pipe would hang, and a device not end.
fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST { Err(io::Error::other("it is larger than 4 MiB")) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests;
