//! The bill of a site: its traffic by kind, as logs count it, times what a request of each kind costs, as
//! [`measure`] weighs it.

mod look;
mod plan;
mod result;
mod run;

pub(crate) use look::look;
pub(crate) use plan::Plan;
pub(crate) use result::result;
pub(crate) use run::{Measured, Options, measure};
