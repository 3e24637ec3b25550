//! The principal type is [`ClientMemory`]: what is held for clients, as it can be looked at.

/// What is held for clients, as it can be looked at.
pub trait ClientMemory: std::fmt::Debug + Send + Sync {
    /// How it is.
    fn state(&self) -> ClientMemoryState;
}

/// How it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientMemoryState {
    /// Bytes that may be held.
    pub limit: usize,
    /// Bytes that are held.
    pub held: usize,
    /// Times that somebody came to a bound: of a connection, of a client, of the process.
    pub reached: [u64; 3],
    /// Connections that were ended while memory was short, since they took least of what was held for them.
    pub ended_slow: u64,
    /// Connections that were ended because they took nothing for as long as `timeouts.idle`.
    pub ended_stalled: u64,
}
