//! Bodies that wait: a request's until it is whole, so that a slow client takes no application connection; an answer's
//! until its client has taken it. The principal types are [`Spool`], one such body, and [`Spools`], the bounds of all
//! of a listener's.
//!
//! A body starts in memory; beyond its part it goes to an unnamed file, which is gone with this process.

mod clients;
mod file;
mod room;
mod spools;
mod waiting;

pub(crate) use self::spools::Spools;
pub(crate) use self::waiting::{LEAST_ON_DISK, Spool};

#[derive(Debug, thiserror::Error)]
pub(crate) enum SpoolError {
    /// All the room for files is taken.
    #[error("`buffer.disk` is taken")]
    NoRoom,
    #[error("{0}")]
    Disk(#[from] std::io::Error),
}

#[cfg(test)]
mod tests;
