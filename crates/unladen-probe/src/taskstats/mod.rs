//! Exit records: what a thread counted in its whole life, sent by the kernel when it ends
//! (Documentation/accounting/taskstats.rst). The principal type is [`Listener`].
//!
//! Records are queued by the ending thread itself before its parent learns of the end, so whoever
//! drains the queue after looking through /proc misses none. Three of their fields are not what they seem:
//! the CPU time stands where the last timer tick left it, the memory's taking down comes after it, and
//! read and write counts are rounded down to multiples of 1,024 (kernel/tsacct.c).

mod listener;
mod netlink;
mod record;

pub(crate) use listener::Listener;
#[cfg(feature = "fuzzing")]
pub(crate) use listener::records_in;
pub(crate) use record::Record;
