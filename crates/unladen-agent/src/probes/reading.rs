//! The principal type is [`FarReading`]: what has grown on another host between two readings.

use std::time::Duration;

use unladen_machine::MachineTimes;

/// A reading of another host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FarReading {
    /// When it was taken: ns of that host's own monotonic clock.
    pub at_ns: u64,
    /// Group, counter (both by index), and how much has grown since the reading before.
    pub grown: Vec<(usize, usize, u64)>,
    /// How often exit records were lost since then; if ever, what was counted meanwhile is incomplete.
    pub lost: u64,
    /// What the machine did since the reading before.
    pub times: MachineTimes,
    /// What all readings have taken of a processor there, in ns.
    pub own_cpu_ns: u64,
    /// From the question to the answer, by the clock here.
    pub round_trip: Duration,
}
