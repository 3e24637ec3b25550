//! Real runs of `unladen weigh` and `unladen prove` against `subjects/burn`, whose requests burn a known time. The
//! principal types are [`Setting`] and [`Experiment`]: what runs beside them, and how.

pub mod billed;
mod binaries;
mod burn;
mod cgroup;
mod disturbance;
mod error;
pub mod passive;
mod prove;
mod series;
mod served;
pub mod share;
mod weigh;

use cgroup::Unit;

pub use binaries::Binaries;
pub use disturbance::Neighbour;
pub use error::RealError;
pub use prove::{Experiment, Proved};
pub use series::Series;
pub use served::Served;
pub use weigh::{Setting, Weighed};

/// Whether a setting may be `in_unit` here: a cgroup v2 hierarchy is mounted, and may be written.
pub fn can_make_units() -> bool {
    Unit::is_possible()
}
