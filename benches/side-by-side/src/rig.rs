//! What benches share: programs that serve, those who call them, and what is read of both.

pub(crate) mod callers;
pub(crate) mod case;
pub(crate) mod certificates;
pub(crate) mod limit;
pub(crate) mod listen;
pub(crate) mod load;
pub(crate) mod nginx;
pub(crate) mod php_fpm;
pub(crate) mod ports;
pub(crate) mod process;
pub(crate) mod running;
pub(crate) mod strace;

pub(crate) use callers::be_the_callers;
pub(crate) use load::be_the_loader;
