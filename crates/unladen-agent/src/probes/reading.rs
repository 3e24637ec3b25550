//! The principal type is [`FarReading`]: growth on another host between two readings.

use std::time::Duration;

use unladen_machine::MachineTimes;

/// A reading of another host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FarReading {
    /// ns of that host's own monotonic clock.
    pub at_ns: u64,
    /// Group, counter (both by index), and growth since the previous reading.
    pub grown: Vec<(usize, usize, u64)>,
    /// Exit records lost since then; if not 0, the counts are incomplete.
    pub lost: u64,
    /// The machine's times since the previous reading.
    pub times: MachineTimes,
    /// CPU of all readings there, in ns.
    pub own_cpu_ns: u64,
    pub round_trip: Duration,
}
