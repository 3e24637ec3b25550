//! The principal type is [`Refusal`]: why an existing file is not sent.

use std::path::PathBuf;

use rustix::io::Errno;

use crate::htaccess::Denial;

/// Why an existing file is not sent. It names the path for the log; clients see only the status.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The system does not let this process read it.
    #[error("{}: this process may not read it; give its user the right to read the file and to enter its folders", .0.display())]
    Denied(PathBuf),
    #[error("{}: a link leads to {}, which is outside of the root; name its folder in `files.links`, or make a route with a `root` of its own for it", .0.display(), .1.display())]
    Outside(PathBuf, PathBuf),
    /// A link leads to a name that is not sent by itself either.
    #[error("{}: a link leads to {}, which is not sent by its own name either: it is hidden, private, or the source of a script; or it is no script, and the link's name is that of one", .0.display(), .1.display())]
    Unsent(PathBuf, PathBuf),
    /// Its name is that of a file that is never a page.
    #[error("{}: the file's name is that of {}; move it out of the root, or name it in `files.allow` if it is for everybody", .0.display(), .1)]
    Private(PathBuf, &'static str),
    #[error("{}: {}", .0.display(), .2.of(.1))]
    Htaccess(PathBuf, PathBuf, Denial),
    /// It is no regular file: a pipe, a socket, a device.
    #[error("{}: it is no regular file", .0.display())]
    Special(PathBuf),
    /// The system is out of file descriptors or memory.
    #[error("{path}: {1}", path = .0.display())]
    Exhausted(PathBuf, Errno),
    #[error("{path}: {1}", path = .0.display())]
    Failed(PathBuf, Errno),
}

impl Refusal {
    /// The status that clients get.
    pub fn status(&self) -> u16 {
        match self {
            Self::Denied(_) | Self::Htaccess(..) => 403,
            Self::Outside(..) | Self::Unsent(..) | Self::Private(..) | Self::Special(_) => 404,
            Self::Exhausted(..) => 503,
            Self::Failed(..) => 500,
        }
    }
}
