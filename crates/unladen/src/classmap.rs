//! What `unladen classmap` does.

mod ask;
mod check;
mod checked;
mod emit;
mod explain;
mod make;
mod place;
mod plain;
mod problems;
mod remembered;
mod scripts;
mod summary;
mod target;
mod task;
mod watch;

pub(crate) use check::{Asked, check};
pub(crate) use emit::Emit;
pub(crate) use explain::explain;
pub(crate) use make::make;
pub(crate) use scripts::Scripts;
pub(crate) use task::Task;
pub(crate) use watch::watch;
