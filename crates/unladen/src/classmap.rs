//! What `unladen classmap` does.

mod ask;
mod check;
mod checked;
mod explain;
mod held;
mod make;
mod place;
mod summary;
mod task;
mod watch;

pub(crate) use check::check;
pub(crate) use explain::explain;
pub(crate) use make::make;
pub(crate) use task::{Emit, Scripts, Task};
pub(crate) use watch::watch;
