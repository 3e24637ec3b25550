//! Loading: from options to a result. ARCHITECTURE.md describes the life of a request.

mod account;
mod agent_part;
mod books;
mod capacity;
pub(crate) mod gate;
mod hdr;
mod hosts;
mod lateness;
mod ledger;
mod limit;
mod machine_log;
mod options;
mod recorder;
mod replay;
mod result;
mod run;
mod sender;
mod slices;
mod stretch;
mod trial;

pub(crate) use agent_part::AgentPart;
pub(crate) use hosts::{Agreed, Hosts};
pub(crate) use ledger::Ledger;
pub(crate) use limit::Limit;
pub(crate) use options::{Files, Options, Pace};
pub(crate) use replay::replay;
pub(crate) use run::load;
