//! Bounds on memory for clients, on what each client and network has at a time, and on rates, and what happens without
//! room.

pub(crate) mod budget;
pub(crate) mod counting;
pub(crate) mod crowd;
pub(crate) mod idle;
pub(crate) mod queue;
pub(crate) mod rates;
pub(crate) mod service;
pub(crate) mod shared_rates;
pub(crate) mod shortage;
