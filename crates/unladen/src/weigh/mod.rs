//! Weighing: from options to a result. The life of a measurement is told in ARCHITECTURE.md.

mod analysis;
mod judge;
mod options;
mod plan;
mod recording;
mod run;
mod trace;
mod warnings;

pub(crate) use options::{Budget, Options};
pub(crate) use plan::PlanError;
pub(crate) use run::{Outcome, weigh};
