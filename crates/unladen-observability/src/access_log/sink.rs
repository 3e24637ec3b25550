//! The principal type is [`Sink`]: where the access log's lines go.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use nix::fcntl::{FcntlArg, OFlag, fcntl};

/// Where lines go.
#[derive(Debug)]
pub(super) struct Sink(Option<File>);

impl Sink {
    /// A file (appended to, made if it is missing), or standard error.
    pub(super) fn open(path: Option<&Path>) -> io::Result<Self> {
        let Some(path) = path else {
            // A descriptor of its own: std's is locked while it is written to, and others have things to say there.
            return Ok(Self(Some(File::from(io::stderr().as_fd().try_clone_to_owned()?))));
        };
        let file = appending().create(true).mode(0o640).open(path)?;
        let flags = OFlag::from_bits_retain(fcntl(&file, FcntlArg::F_GETFL)?);
        fcntl(&file, FcntlArg::F_SETFL(flags & !OFlag::O_NONBLOCK))?;
        Ok(Self(Some(file)))
    }

    /// Whether a file that is there can be appended to. It is not changed, and a missing one is not made.
    pub(super) fn try_existing(path: &Path) -> io::Result<()> {
        // Without a reader, a named pipe cannot be opened for writing; the reader may come later.
        if path.metadata()?.file_type().is_fifo() {
            return Ok(());
        }
        appending().open(path).map(drop)
    }

    /// Lines are dropped.
    pub(super) fn nowhere() -> Self {
        Self(None)
    }

    /// Writes all that can be; bytes written, and why not more.
    pub(super) fn write(&self, bytes: &[u8]) -> (usize, io::Result<()>) {
        let Some(mut file) = self.0.as_ref() else { return (bytes.len(), Ok(())) };
        let mut written = 0;
        while written < bytes.len() {
            match io::Write::write(&mut file, &bytes[written..]) {
                Ok(0) => return (written, Err(io::ErrorKind::WriteZero.into())),
                Ok(n) => written += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return (written, Err(error)),
            }
        }
        (written, Ok(()))
    }
}

/// A named pipe that nobody reads must not stop whoever opens it; once open, waiting for its reader is the writer's
/// part.
fn appending() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.append(true).custom_flags((OFlag::O_NONBLOCK | OFlag::O_NOCTTY).bits());
    options
}
