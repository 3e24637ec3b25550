//! Weighing: from options to a result. The life of a measurement is told in ARCHITECTURE.md.

mod analysis;
mod answers;
mod counting;
mod hidden;
mod inside;
mod judge;
mod left_behind;
mod options;
pub(crate) mod path;
mod php;
mod plan;
mod recording;
mod resolver;
mod restart;
mod run;
mod trace;
mod tried;
mod warnings;

pub(crate) use inside::inside;
pub(crate) use options::{Budget, Options};
pub(crate) use plan::PlanError;
pub(crate) use restart::Restart;
pub(crate) use run::{Outcome, weigh};
