//! Weighing: from options to a result. ARCHITECTURE.md describes the life of a measurement.

mod analysis;
mod answers;
mod catalog;
mod counting;
mod edge;
mod edges;
mod experiments;
mod exporter;
mod far_host;
mod gate;
mod inside;
mod judge;
mod left_behind;
mod measured;
mod next_step;
mod options;
mod plan;
mod recording;
mod run;
mod statements;
mod trace;
mod traced;
mod tried;
mod warnings;

pub(crate) use counting::{Counting, CountingError};
pub(crate) use experiments::Experiments;
pub(crate) use exporter::ExporterError;
pub(crate) use gate::WeightGate;
pub(crate) use inside::inside;
pub(crate) use options::{Budget, Options, Restart};
pub(crate) use run::{Outcome, weigh};
pub(crate) use traced::Traced;
