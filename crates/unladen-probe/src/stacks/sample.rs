//! The principal types are [`StackSample`] and [`StackBatch`].

/// What ran on a processor at a tick of the clock.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StackSample {
    /// By the monotonic clock in ns; see [`monotonic_ns`](crate::monotonic_ns).
    pub at_ns: u64,
    pub pid: u32,
    pub tid: u32,
    pub parent: u32,
    pub uid: u32,
    /// Short name of the thread, at most 15 bytes.
    pub comm: String,
    /// Addresses in the kernel, innermost first; empty if the program itself ran.
    pub kernel: Vec<u64>,
    /// Addresses in the program, innermost first: by frame pointers, so that without those the frames from the second
    /// on may be few, or no code at all.
    pub user: Vec<u64>,
}

/// Samples taken from the kernel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StackBatch {
    /// In order of time.
    pub samples: Vec<StackSample>,
    /// Ticks whose samples found no room, or were malformed.
    pub lost: u64,
}
