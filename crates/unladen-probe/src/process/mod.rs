//! The processes of the machine, and what became of them since the last look.

mod stat;
mod table;

pub(crate) use stat::{Io, Stat};
pub(crate) use table::{Process, ProcessTable};
