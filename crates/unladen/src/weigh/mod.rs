//! Weighing: from options to a result. The life of a measurement is told in ARCHITECTURE.md.

mod analysis;
mod options;
mod plan;
mod recording;
mod run;

pub(crate) use options::{Budget, Options};
pub(crate) use plan::PlanError;
pub(crate) use run::{Outcome, weigh};
