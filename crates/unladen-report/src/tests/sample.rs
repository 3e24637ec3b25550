//! Results for snapshot tests.

mod load;
mod profile;
mod prove;
mod weigh;

pub(crate) use load::*;
pub(crate) use profile::*;
pub(crate) use prove::*;
pub(crate) use weigh::*;
