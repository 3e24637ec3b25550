//! Runs that are kept: what a result is kept with, and where. The commands that read them are in `cmd/runs/`.

mod keeper;
mod origin;
mod preferences;

pub(crate) use keeper::{Keeper, Keeping, new_run};
pub(crate) use origin::Origin;
pub(crate) use preferences::{Preferences, STORE_VARIABLE};
