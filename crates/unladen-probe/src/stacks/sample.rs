//! The principal types are [`StackSample`] and [`StackBatch`].

/// What ran on a processor at a tick of the clock.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StackSample {
    /// When, by the monotonic clock, ns; see [`monotonic_ns`](crate::monotonic_ns).
    pub at_ns: u64,
    /// Whose thread it was.
    pub pid: u32,
    /// The thread.
    pub tid: u32,
    /// The process's parent.
    pub parent: u32,
    /// The process's user.
    pub uid: u32,
    /// The thread's short name, at most 15 bytes.
    pub comm: String,
    /// Addresses in the kernel, the innermost first; none when the program itself ran.
    pub kernel: Vec<u64>,
    /// Addresses in the program, the innermost first: by frame pointers, so that without those the frames from the
    /// second on may be few, or no code at all.
    pub user: Vec<u64>,
}

/// What was sampled.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StackBatch {
    /// In the order of time.
    pub samples: Vec<StackSample>,
    /// Ticks for whose samples there was no room, or no sense in them.
    pub lost: u64,
}
