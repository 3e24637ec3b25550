//! The principal type is [`StoreError`]: why an operation on a store failed.

use std::io;
use std::path::PathBuf;

use crate::limits::LabelError;
use crate::run::RunId;

/// Why an operation on a store failed. Contains no password.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    #[error("no location for a store: neither HOME nor XDG_STATE_HOME is set; name a file with --store")]
    NoHome,
    #[error("{0}")]
    Address(String),
    /// It is to be read, but does not exist.
    #[error("no store at {store} yet: the first measurement creates it")]
    NoStore { store: String },
    /// A folder or the file in it cannot be created or opened.
    #[error("{}: {source}; make it readable and writable, or name another store with --store", path.display())]
    NoAccess { path: PathBuf, source: io::Error },
    /// The file's name is a link, through which someone may redirect writers to another file.
    #[error("{} is a symbolic link, which a store must not be: name the file that it leads to", path.display())]
    Link { path: PathBuf },
    #[error("{} is not a file: name a file for the store", path.display())]
    NotAFile { path: PathBuf },
    #[error(
        "{} belongs to user {owner}, but this is user {user}: run as its owner, or name another store with --store",
        path.display()
    )]
    ForeignOwner { path: PathBuf, owner: u32, user: u32 },
    #[error("{store} is not a store of runs ({what}): it is left unchanged; name another store with --store")]
    NotAStore { store: String, what: String },
    #[error(
        "{store} was made by unladen {made_by} (schema {schema}; this version knows {known}): use that version or a \
         newer one, or name another store with --store"
    )]
    Newer { store: String, made_by: String, schema: i64, known: i64 },
    /// Created by an older Unladen, and opened read-only.
    #[error(
        "{store} was made by unladen {made_by} (schema {schema}; this version reads {known}): keep a run in it, which \
         upgrades it"
    )]
    Older { store: String, made_by: String, schema: i64, known: i64 },
    #[error("{store} cannot be written ({what}): make it writable, or name another store with --store")]
    ReadOnly { store: String, what: String },
    #[error("no space left for {store}: free space on its disk, or name another store with --store")]
    Full { store: String },
    #[error("{store} has been locked by another process for more than {seconds} s: end that process, or try again")]
    Locked { store: String, seconds: f64 },
    #[error("{store} is damaged ({what}): restore it from a backup, or move it away to start a new one")]
    Damaged { store: String, what: String },
    #[error("{store} cannot be reached: {what}")]
    Unreachable { store: String, what: String },
    #[error("{store} refuses this user: {what}; correct user, password or database in the URL")]
    Refused { store: String, what: String },
    /// The server accepts the login, but not this operation.
    #[error("{store} does not permit it: {what}; ask its owner to grant it")]
    Forbidden { store: String, what: String },
    #[error("{store} took longer than {seconds} s: check what else its server does, or try again")]
    Slow { store: String, seconds: u64 },
    #[error("there is no run {id}{}", listed(.nearest))]
    NoSuchRun {
        id: RunId,
        /// The next lower and the next higher number, if any.
        nearest: Vec<RunId>,
    },
    #[error("{what} has {bytes} bytes, but a store takes at most {most}: it is not kept")]
    TooLarge { what: &'static str, bytes: usize, most: usize },
    #[error("the run has {count} labels, but a store takes at most {most}")]
    ManyLabels { count: usize, most: usize },
    #[error(transparent)]
    Label(#[from] LabelError),
    #[error("{what} cannot be kept: {why}")]
    Unfit { what: &'static str, why: String },
    #[error("a page has at most {most} runs, not {limit}: ask for the next page by `before`")]
    LongPage { limit: u32, most: u32 },
    #[error("{store}: {what}")]
    Failed { store: String, what: String },
}

/// `; the nearest are 11 and 14`
fn listed(nearest: &[RunId]) -> String {
    match nearest {
        [] => ": the store is empty".to_owned(),
        [one] => format!(": the nearest is {one}"),
        [first, others @ ..] => {
            let others: Vec<String> = others.iter().map(ToString::to_string).collect();
            format!(": the nearest are {first} and {}", others.join(" and "))
        }
    }
}

#[cfg(test)]
mod tests;
