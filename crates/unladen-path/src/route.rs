//! The principal type is [`Route`]: who takes a request, whom those ask for it, and so forth.

use unladen_trace::{PathUnknown, PeerSeen};

use crate::address::Address;

/// Addresses that are followed at most. A page that asks more servers than this is told to do so.
pub(crate) const MOST_STATIONS: usize = 32;

/// Who a request goes through, as far as it was seen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Route {
    /// Those of this machine, in the order in which they were found.
    pub stations: Vec<Station>,
    /// Those who cannot be looked at.
    pub beyond: Vec<PeerSeen>,
    /// Why the rest of it is not known, if so.
    pub unknown: Option<PathUnknown>,
}

/// Who listens at an address to which the request was handed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Station {
    pub address: Address,
    /// The processes that took it there; if none was seen to, those that could have.
    pub pids: Vec<u32>,
    /// Whether they were seen to take it.
    pub seen: bool,
}
