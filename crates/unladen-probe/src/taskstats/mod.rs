//! Exit records: counts of a thread's whole life, sent by the kernel when it ends
//! (Documentation/accounting/taskstats.rst). The principal type is [`Listener`].
//!
//! Records are queued by the ending thread before its parent learns of the end, so draining the queue after examining
//! /proc misses none. Three fields are not what they seem: the CPU time stands at the last timer tick, the memory is
//! taken down after it, and read and write counts are rounded down to multiples of 1,024 (kernel/tsacct.c).

mod listener;
mod netlink;
mod record;

pub(crate) use listener::Listener;
#[cfg(feature = "fuzzing")]
pub(crate) use listener::records_in;
pub(crate) use record::Record;
