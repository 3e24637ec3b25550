//! The principal type is [`Place`]: options that say which store is meant.

use unladen_store::{Location, Mode, Store, StoreError};

use crate::exit::Failure;
use crate::runs::{Preferences, STORE_VARIABLE};
use crate::say::say;

#[derive(Debug, Clone, clap::Args)]
pub(super) struct Place {
    /// The store: a file, or postgres://USER@HOST/DATABASE [default: the one that runs are kept in]
    #[arg(long, value_name = "STORE")]
    store: Option<Location>,
}

impl Place {
    /// Fails if nothing is kept, or the preferences are wrong.
    pub(super) fn location(&self) -> Result<Location, Failure> {
        if let Some(location) = &self.store {
            return Ok(location.clone());
        }
        Preferences::of_user()?.store.ok_or_else(|| {
            Failure::Usage(format!(
                "no runs are kept: {STORE_VARIABLE}, or `store` of the user's settings, is \"off\"; name a store with --store"
            ))
        })
    }

    pub(super) fn open(&self, mode: Mode) -> Result<Box<dyn Store>, Failure> {
        Ok(unladen_store::open(&self.location()?, mode)?)
    }

    /// Opens it to read; says so if nobody has kept anything in it yet.
    pub(super) fn read(&self) -> Result<Option<Box<dyn Store>>, Failure> {
        match unladen_store::open(&self.location()?, Mode::ReadOnly) {
            Ok(store) => Ok(Some(store)),
            Err(error @ StoreError::NoStore { .. }) => {
                say!("unladen: {error}{}", of_root());
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// What sudo measured is kept for root.
fn of_root() -> &'static str {
    if nix::unistd::geteuid().is_root() {
        ""
    } else {
        " (what `sudo unladen` measured is listed by `sudo unladen runs`)"
    }
}
