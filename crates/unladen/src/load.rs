//! Loading: from options to a result. ARCHITECTURE.md describes the life of a request.

mod account;
mod capacity;
pub(crate) mod gate;
mod hosts;
mod machine_log;
mod options;
mod recorder;
mod result;
mod run;
mod sender;
mod slices;

pub(crate) use account::{AgentPart, Ledger};
pub(crate) use hosts::Agreed;
pub(crate) use options::{Files, Limit, MOST_UNDER_WAY, Options, Pace};
pub(crate) use run::{load, replay};
pub(crate) use sender::{Client, strangers};
