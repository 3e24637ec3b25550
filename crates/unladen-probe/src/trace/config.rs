//! The principal types are [`TracerConfig`] and [`Watched`].

/// Limits on memory for tracing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TracerConfig {
    /// Bytes of the ring through which events leave the kernel; rounded up to a power of two.
    pub ring_bytes: u32,
    /// Events kept until they are taken; further ones are counted as lost.
    pub most_events: usize,
}

impl Default for TracerConfig {
    fn default() -> Self {
        // Some 50,000 events of the usual size: what the busiest process makes in a tenth of a second.
        Self { ring_bytes: 16 << 20, most_events: 2_000_000 }
    }
}

/// A process to follow; its children are followed with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Watched {
    /// A process, not one of its threads.
    pub pid: u32,
    /// Returned with all its events.
    pub group: u32,
    /// The group of its future children: its own, or that of the workers that a master starts.
    pub children: u32,
    /// Whether its own activity counts. Otherwise only its children's does: it starts the processes that answer, as
    /// PHP-FPM's master does.
    pub own: bool,
}
