//! The principal type is [`Count`]: a count instead of events.

/// A count made in the kernel, by process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Count {
    pub group: u32,
    pub pid: u32,
    pub of: Countable,
    pub times: u64,
    /// Total, ns.
    pub time_ns: u64,
}

/// What is counted in the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Countable {
    /// A system call that returned.
    Syscall {
        /// This machine's number of it.
        number: u32,
        /// 0, or the error's number.
        errno: u16,
    },
    /// A look-up of a class in PHP (`zend_lookup_class_ex`).
    ClassLookup,
    /// On-CPU time: only `time_ns` counts.
    Cpu,
}
