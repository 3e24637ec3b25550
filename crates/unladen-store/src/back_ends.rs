//! The principal type is [`BackEnd`]: a kind of store. [`BACK_ENDS`] has them all, and [`open`] tries them.

use crate::location::Location;
use crate::postgres::Postgres;
use crate::sqlite::Sqlite;
use crate::store::{Mode, Store};
use crate::store_error::StoreError;

/// A kind of store.
#[derive(Debug)]
pub struct BackEnd {
    pub name: &'static str,
    /// Notation of its location.
    pub written: &'static str,
    pub about: &'static str,
    /// `None` if the location belongs to another back end.
    open: fn(&Location, Mode) -> Option<Opened>,
}

type Opened = Result<Box<dyn Store>, StoreError>;

/// All kinds of stores. docs/reference/store.md has a part for each.
pub const BACK_ENDS: &[BackEnd] = &[
    BackEnd {
        name: "SQLite",
        written: "FILE",
        about: "one file, without set-up: the runs of one user on one machine",
        open: |location, mode| match location {
            Location::Sqlite(file) => Some(Sqlite::open(file, mode).map(|store| Box::new(store) as Box<dyn Store>)),
            Location::Postgres(_) => None,
        },
    },
    BackEnd {
        name: "PostgreSQL",
        written: "postgres://USER@HOST/DATABASE",
        about: "a server: the runs of a team",
        open: |location, mode| match location {
            Location::Postgres(url) => {
                let shown = location.to_string();
                Some(Postgres::open(url, shown, mode).map(|store| Box::new(store) as Box<dyn Store>))
            }
            Location::Sqlite(_) => None,
        },
    },
];

/// Opens the store at a location.
///
/// # Errors
/// If it cannot be opened, created or upgraded; each error says what to do.
pub fn open(location: &Location, mode: Mode) -> Result<Box<dyn Store>, StoreError> {
    let opened = BACK_ENDS.iter().find_map(|back_end| (back_end.open)(location, mode));
    opened.unwrap_or_else(|| {
        Err(StoreError::Failed { store: location.to_string(), what: "no back end has such stores".to_owned() })
    })
}

#[cfg(test)]
mod tests;
