//! Kept runs: what a result is kept with, and where. The commands that read them are in `cmd/runs/`.

mod keeper;
mod origin;
mod pages;
mod past;
mod preferences;
mod run_name;
mod time;
mod worse;

pub(crate) use keeper::{Against, Keeper, Keeping, new_run};
pub(crate) use origin::{Origin, headed};
pub(crate) use pages::{Address, Pages, browse};
pub(crate) use past::{beside, document_of, past, pictures};
pub(crate) use preferences::{Preferences, STORE_VARIABLE};
pub(crate) use run_name::RunName;
pub(crate) use time::{moment, now, rfc3339, written_at};
pub(crate) use worse::{Tolerance, worse};
