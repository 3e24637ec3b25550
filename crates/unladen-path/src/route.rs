//! The principal type is [`Route`]: who takes a request, whom they ask for it, and so on.

use unladen_trace::{PathUnknown, PeerSeen};

use crate::address::Address;

/// Most addresses followed. A page that asks more servers is reported to do so.
pub(crate) const MOST_STATIONS: usize = 32;

/// Who a request goes through, as far as observed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Route {
    /// On this machine, in the order found.
    pub stations: Vec<Station>,
    /// Peers that cannot be looked at.
    pub beyond: Vec<PeerSeen>,
    /// Why the rest of it is not known, if so.
    pub unknown: Option<PathUnknown>,
}

/// The listeners at an address to which the request was passed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Station {
    pub address: Address,
    /// The processes that took it; if none was seen to, those that could have.
    pub pids: Vec<u32>,
    pub seen: bool,
}
