//! The principal type is [`BackEnd`]: a kind of store. [`BACK_ENDS`] has them all, and [`open`] asks them.

use crate::location::Location;
use crate::mode::Mode;
use crate::postgres::Postgres;
use crate::sqlite::Sqlite;
use crate::store::Store;
use crate::store_error::StoreError;

/// A kind of store.
#[derive(Debug)]
pub struct BackEnd {
    /// What it is called.
    pub name: &'static str,
    /// How its place is written.
    pub written: &'static str,
    pub about: &'static str,
    /// Opens a store; none: the place is another's.
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

/// Opens the store at a place.
///
/// # Errors
/// If it cannot be opened, made, or brought up to date; each says what to do.
pub fn open(location: &Location, mode: Mode) -> Result<Box<dyn Store>, StoreError> {
    let opened = BACK_ENDS.iter().find_map(|back_end| (back_end.open)(location, mode));
    opened.unwrap_or_else(|| {
        Err(StoreError::Failed { store: location.to_string(), what: "no back end has such stores".to_owned() })
    })
}

#[cfg(test)]
mod tests;
