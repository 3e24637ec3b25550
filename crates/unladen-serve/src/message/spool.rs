//! Bodies that wait: of a request until it is whole, so that a slow client takes no connection of the application; of
//! an answer until its client has taken it. The principal types are [`Spool`], one such body, and [`Spools`], the
//! bounds of all of a listener's.
//!
//! A body is in memory at first; what is more than its part of it goes to a file that has no name, and so is gone with
//! this process.

mod clients;
mod file;
mod room;
mod spools;
mod waiting;

pub(crate) use self::spools::Spools;
pub(crate) use self::waiting::{LEAST_ON_DISK, Spool};

/// Why a body cannot wait.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SpoolError {
    /// All that there may be of files is taken.
    #[error("`buffer.disk` is taken")]
    NoRoom,
    #[error("{0}")]
    Disk(#[from] std::io::Error),
}

#[cfg(test)]
mod tests;
