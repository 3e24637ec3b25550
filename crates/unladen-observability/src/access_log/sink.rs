//! The principal type is [`Sink`]: destination of the access log's lines.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use nix::fcntl::{FcntlArg, OFlag, fcntl};

#[derive(Debug)]
pub(super) struct Sink(Option<File>);

impl Sink {
    /// A file (appended to, created if missing), or standard error.
    pub(super) fn open(path: Option<&Path>) -> io::Result<Self> {
        let Some(path) = path else {
            // A separate descriptor: std's is locked during writes, and others need it.
            return Ok(Self(Some(File::from(io::stderr().as_fd().try_clone_to_owned()?))));
        };
        let file = appending().create(true).mode(0o640).open(path)?;
        let flags = OFlag::from_bits_retain(fcntl(&file, FcntlArg::F_GETFL)?);
        fcntl(&file, FcntlArg::F_SETFL(flags & !OFlag::O_NONBLOCK))?;
        Ok(Self(Some(file)))
    }

    /// Whether an existing file can be appended to; neither changes nor creates it.
    pub(super) fn try_existing(path: &Path) -> io::Result<()> {
        // A named pipe without a reader cannot be opened for writing; the reader may come later.
        if path.metadata()?.file_type().is_fifo() {
            return Ok(());
        }
        appending().open(path).map(drop)
    }

    pub(super) fn nowhere() -> Self {
        Self(None)
    }

    /// Writes as much as possible; returns the bytes written, and the error that stopped it.
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

/// An unread named pipe must not block the opener; once open, the writer waits for its reader.
fn appending() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.append(true).custom_flags((OFlag::O_NONBLOCK | OFlag::O_NOCTTY).bits());
    options
}
