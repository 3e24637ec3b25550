//! The principal type is [`Scrap`]: an unnamed file, appended to and read anywhere, by threads that may block on the
//! disk.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use nix::libc;
use tokio::task::JoinHandle;

/// One job at a time.
#[derive(Debug)]
pub(super) struct Scrap {
    file: Option<Arc<File>>,
    job: Option<JoinHandle<Done>>,
}

/// A thread's result: the block it used, and the file if it was made.
#[derive(Debug)]
struct Done {
    block: Vec<u8>,
    result: io::Result<Arc<File>>,
}

impl Scrap {
    pub(super) fn new() -> Self {
        Self { file: None, job: None }
    }

    /// Starts writing a block; makes the file if there is none.
    pub(super) fn write(&mut self, folder: &Path, block: Vec<u8>, at: u64) {
        let (file, folder) = (self.file.clone(), folder.to_owned());
        self.job = Some(tokio::task::spawn_blocking(move || {
            let write = || {
                let file = match file {
                    Some(file) => file,
                    None => Arc::new(open(&folder)?),
                };
                file.write_all_at(&block, at)?;
                Ok(file)
            };
            let result = write();
            Done { block, result }
        }));
    }

    pub(super) fn read(&mut self, mut block: Vec<u8>, at: u64) {
        let file = self.file.clone();
        self.job = Some(tokio::task::spawn_blocking(move || {
            let read = || {
                let file = file.ok_or(io::ErrorKind::NotFound)?;
                file.read_exact_at(&mut block, at)?;
                Ok(file)
            };
            let result = read();
            Done { block, result }
        }));
    }

    pub(super) fn is_busy(&self) -> bool {
        self.job.is_some()
    }

    /// Waits for the running job, and returns the block, also on failure.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<(Vec<u8>, io::Result<()>)> {
        let Some(job) = &mut self.job else { return Poll::Ready((Vec::new(), Ok(()))) };
        let done = ready!(Pin::new(job).poll(cx));
        self.job = None;
        let Done { block, result } = match done {
            Ok(done) => done,
            // The runtime ends.
            Err(error) => Done { block: Vec::new(), result: Err(io::Error::other(error)) },
        };
        Poll::Ready((block, result.map(|file| self.file = Some(file))))
    }
}

/// A file that nobody else can find: unnamed, or where the file system cannot do that, unlinked at once.
fn open(folder: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(0o600);
    match options.clone().custom_flags(libc::O_TMPFILE).open(folder) {
        // Errors of kernels and file systems without it (open(2)).
        Err(error) if matches!(error.raw_os_error(), Some(libc::EOPNOTSUPP | libc::EISDIR | libc::EINVAL)) => {
            let path = folder.join(format!(".unladen-{:032x}", fastrand::u128(..)));
            let file = options.create_new(true).open(&path)?;
            std::fs::remove_file(&path)?;
            Ok(file)
        }
        opened => opened,
    }
}
