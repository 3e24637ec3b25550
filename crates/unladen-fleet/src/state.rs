//! The principal type is [`FleetState`]: how this node does, for whoever looks.

use std::time::Duration;

/// How this node does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FleetState {
    /// Where the engine is, without its secrets.
    pub bus: String,
    /// This node's name.
    pub node: String,
    /// Whether the fleet counts on this node, and it has been told everything.
    pub is_connected: bool,
    /// Records that were written, as far as it is known, and not forgotten here.
    pub lag: u64,
    /// How long ago the engine confirmed this node; none: it never did.
    pub last_beat: Option<Duration>,
    /// Nodes that the fleet had when it was looked at last.
    pub members: u64,
    /// Purges of this node that the engine took, …
    pub sent: u64,
    /// … and those that wait for it.
    pub waiting: u64,
    /// Purges of other nodes that were forgotten here, …
    pub received: u64,
    /// … those of them that came while this node was cut off, …
    pub late: u64,
    /// … those that came twice, …
    pub repeated: u64,
    /// … and records that could not be read.
    pub unreadable: u64,
    /// How often what was missed was not known.
    pub lost: u64,
    /// How often it was cut off, …
    pub cut_offs: u64,
    /// … and for how long, all together.
    pub cut_off: Duration,
    /// What went wrong last, if it is not over.
    pub error: Option<String>,
}
