//! Weighing: from options to a result. The life of a measurement is told in ARCHITECTURE.md.

mod analysis;
mod answers;
mod catalog;
mod counting;
mod edge;
mod edges;
mod elsewhere;
mod experiments;
mod exporter;
mod far_host;
mod hidden;
mod inside;
mod judge;
mod known;
mod left_behind;
mod measured;
mod options;
mod path;
mod php;
mod plan;
mod plan_error;
mod recording;
mod resolver;
mod restart;
mod row;
mod run;
mod trace;
mod tried;
mod warnings;

pub(crate) use experiments::Experiments;
pub(crate) use exporter::ExporterError;
pub(crate) use inside::inside;
pub(crate) use options::{Budget, Options};
pub(crate) use plan_error::PlanError;
pub(crate) use restart::Restart;
pub(crate) use run::{Outcome, weigh};
