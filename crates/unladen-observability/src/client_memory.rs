//! The principal type is [`ClientMemory`]: memory held for clients.

/// Access to the state of memory held for clients.
pub trait ClientMemory: std::fmt::Debug + Send + Sync {
    fn state(&self) -> ClientMemoryState;
}

/// Memory held for clients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientMemoryState {
    /// In bytes.
    pub limit: usize,
    /// In bytes.
    pub held: usize,
    /// How often a bound was reached: of a connection, of a client, of the process.
    pub reached: [u64; 3],
    /// Connections ended while memory was short, since they read the least of what was held for them.
    pub ended_slow: u64,
    /// Connections ended since they read nothing for `timeouts.idle`.
    pub ended_stalled: u64,
}
