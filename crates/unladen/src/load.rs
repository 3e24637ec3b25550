//! Loading: from options to a result. The life of a request is told in ARCHITECTURE.md.

mod account;
mod agent_part;
mod bins;
mod books;
mod capacity;
pub(crate) mod gate;
mod hdr;
mod hosts;
mod lateness;
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

pub(crate) use limit::Limit;
pub(crate) use options::{Files, Options, Pace};
pub(crate) use replay::replay;
pub(crate) use run::load;
