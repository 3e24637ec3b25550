//! Proving: from an experiment to a result. ARCHITECTURE.md describes the life of an experiment.

mod agents;
mod analysis;
mod answers;
mod arms;
mod came;
mod counted;
mod effect;
mod gate;
mod interactions;
mod latencies;
mod measured;
mod options;
mod path;
mod phase;
mod plan;
mod profiles;
mod recording;
mod run;
mod warnings;
mod weights;

pub(crate) use gate::failed_requests;
pub(crate) use options::{Options, Profiles};
pub(crate) use plan::{estimate, expected};
pub(crate) use run::{Proved, prove};
