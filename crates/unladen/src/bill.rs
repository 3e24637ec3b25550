//! The bill of a site: its traffic by kind, as logs count it, times what a request of each kind costs, as
//! [`measure`] weighs it.

mod gate;
mod look;
mod plan;
mod result;
mod run;
mod source;

pub(crate) use gate::ShareGate;
pub(crate) use look::look;
pub(crate) use plan::{Plan, Way};
pub(crate) use result::{SUMS, result};
pub(crate) use run::{Measured, Options, measure};
pub(crate) use source::{listed, of_sitemap};
