//! The principal type is [`Count`]: what is counted instead of handed over.

/// What was only counted, in the kernel, by process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Count {
    /// The process's group.
    pub group: u32,
    /// The process.
    pub pid: u32,
    /// What was counted.
    pub of: Countable,
    /// How often.
    pub times: u64,
    /// How long it took altogether, ns.
    pub time_ns: u64,
}

/// What is counted in the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Countable {
    /// A system call that returned.
    Syscall {
        /// Its number on this machine.
        number: u32,
        /// 0, or the error's number.
        errno: u16,
    },
    /// A look-up of a class in PHP (`zend_lookup_class_ex`).
    ClassLookup,
    /// Time on a processor: `time_ns` alone counts.
    Cpu,
}
