//! The principal type is [`StoreError`]: why a store cannot be used, or does not have what is asked for.

use std::io;
use std::path::PathBuf;

use crate::label::LabelError;
use crate::run_id::RunId;

/// Why a store cannot be used, or does not have what is asked for. None of it shows a password.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Nobody said where, and there is no home.
    #[error("no place for a store: neither HOME nor XDG_STATE_HOME is set; name a file with --store")]
    NoHome,
    /// The URL of a server cannot be read.
    #[error("{0}")]
    Address(String),
    /// It is to be read, and is not there.
    #[error("no store at {store} yet: the first measurement makes it")]
    NoStore {
        /// Where.
        store: String,
    },
    /// A folder cannot be made or entered, or the file in it cannot.
    #[error("{}: {source}; make it readable and writable, or name another store with --store", path.display())]
    NoAccess {
        /// The folder or file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file's name is a link, by which someone may lead writers to another file.
    #[error("{} is a symbolic link, which a store's file must not be: name the file that it leads to", path.display())]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// A folder or a device.
    #[error("{} is not a file: name a file for the store", path.display())]
    NotAFile {
        /// What it is called.
        path: PathBuf,
    },
    /// The file is someone else's.
    #[error(
        "{} belongs to user {owner}, and this is user {user}: run as its owner, or name another store with --store",
        path.display()
    )]
    ForeignOwner {
        /// The file.
        path: PathBuf,
        /// Whose it is.
        owner: u32,
        /// Who we are.
        user: u32,
    },
    /// What is there is something else.
    #[error("{store} is not a store of runs ({what}): it stays as it is; name another store with --store")]
    NotAStore {
        /// Where.
        store: String,
        /// What it is.
        what: String,
    },
    /// A newer Unladen made it.
    #[error(
        "{store} was made by unladen {made_by} (schema {schema}; this version knows {known}): use that version or a \
         newer one, or name another store with --store"
    )]
    Newer {
        /// Where.
        store: String,
        /// By which version of Unladen, as it says.
        made_by: String,
        /// The version of its tables.
        schema: i64,
        /// The newest that we know.
        known: i64,
    },
    /// An older Unladen made it, and it was opened to be read.
    #[error(
        "{store} was made by unladen {made_by} (schema {schema}; this version reads {known}): keep a run there, which \
         brings it up to date"
    )]
    Older {
        /// Where.
        store: String,
        /// By which version of Unladen, as it says.
        made_by: String,
        /// The version of its tables.
        schema: i64,
        /// The one that we read.
        known: i64,
    },
    /// It can be read and not written.
    #[error("{store} cannot be written ({what}): make it writable, or name another store with --store")]
    ReadOnly {
        /// Where.
        store: String,
        /// Why.
        what: String,
    },
    /// The disk is full.
    #[error("no space left for {store}: free some on its disk, or name another store with --store")]
    Full {
        /// Where.
        store: String,
    },
    /// Another process holds it.
    #[error("{store} is locked by another process, for more than {seconds} s: end that process, or try again")]
    Locked {
        /// Where.
        store: String,
        /// How long we waited.
        seconds: f64,
    },
    /// What is there is not what was kept.
    #[error("{store} is damaged ({what}): bring it back from a backup, or move it away, and a new one is made")]
    Damaged {
        /// Where.
        store: String,
        /// What is wrong.
        what: String,
    },
    /// The server does not answer.
    #[error("{store} cannot be reached: {what}")]
    Unreachable {
        /// Where.
        store: String,
        /// What went wrong.
        what: String,
    },
    /// The server does not let us in.
    #[error("{store} lets this user not in: {what}; correct user, password or database in the URL")]
    Refused {
        /// Where.
        store: String,
        /// What the server says.
        what: String,
    },
    /// The server lets us in, but not do this.
    #[error("{store} does not permit it: {what}; have its owner grant it")]
    Forbidden {
        /// Where.
        store: String,
        /// What the server says.
        what: String,
    },
    /// The server takes too long.
    #[error("{store} took longer than {seconds} s: look at what else its server does, or try again")]
    Slow {
        /// Where.
        store: String,
        /// How long we waited.
        seconds: u64,
    },
    /// There is no run of this number.
    #[error("there is no run {id}{}", listed(.nearest))]
    NoSuchRun {
        /// The number.
        id: RunId,
        /// The next lower and the next higher, where there are.
        nearest: Vec<RunId>,
    },
    /// More than a store takes.
    #[error("{what} has {bytes} bytes, and a store takes {most} at most: it is not kept")]
    TooLarge {
        /// Of the run.
        what: &'static str,
        /// Its size.
        bytes: usize,
        /// The largest.
        most: usize,
    },
    /// More labels than a run takes.
    #[error("the run has {count} labels, and a store takes {most} at most")]
    ManyLabels {
        /// How many.
        count: usize,
        /// The most.
        most: usize,
    },
    /// A label that is none.
    #[error(transparent)]
    Label(#[from] LabelError),
    /// A text or document that is none.
    #[error("{what} cannot be kept: {why}")]
    Unfit {
        /// Of the run.
        what: &'static str,
        /// Why.
        why: String,
    },
    /// A page that is too long.
    #[error("a page has at most {most} runs, not {limit}: ask for the next page by `before`")]
    LongPage {
        /// What was asked for.
        limit: u32,
        /// The most.
        most: u32,
    },
    /// Anything else that the database says.
    #[error("{store}: {what}")]
    Failed {
        /// Where.
        store: String,
        /// What it says.
        what: String,
    },
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
