//! The principal type is [`FleetState`]: state of this node.

use std::time::Duration;

/// State of this node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FleetState {
    /// The engine's URL without secrets.
    pub bus: String,
    pub node: String,
    pub is_connected: bool,
    /// Records known to be written, and not forgotten here yet.
    pub lag: u64,
    /// Age of the last confirmation by the engine; `None` if there was none.
    pub last_beat: Option<Duration>,
    pub members: u64,
    /// Purges of this node that the engine has accepted.
    pub sent: u64,
    /// Purges of this node that wait for the engine.
    pub waiting: u64,
    /// Purges of other nodes applied here.
    pub received: u64,
    /// Those of them that came while this node was cut off.
    pub late: u64,
    /// Those that came twice.
    pub repeated: u64,
    pub unreadable: u64,
    /// How often missed purges were unknown.
    pub lost: u64,
    pub cut_offs: u64,
    pub cut_off: Duration,
    pub error: Option<String>,
}
