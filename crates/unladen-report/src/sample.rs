//! Results for snapshot tests.

mod load;
mod prove;
mod weigh;

pub(crate) use load::*;
pub(crate) use prove::*;
pub(crate) use weigh::*;
