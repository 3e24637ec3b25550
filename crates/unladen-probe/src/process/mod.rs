//! The processes of the machine, and what became of them since the last look.

mod io;
mod pids;
mod stat;
mod table;

pub(crate) use io::Io;
pub(crate) use stat::Stat;
pub(crate) use table::{Process, ProcessTable};
