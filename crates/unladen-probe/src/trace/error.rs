//! The principal type is [`TraceError`].

/// Why nothing can be traced. Each says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    /// The feature `ebpf` is off.
    #[error(
        "built without eBPF: build with the feature `ebpf` (clang, libelf-dev, pkg-config and zlib1g-dev are needed)"
    )]
    NotBuilt,
    /// Capabilities are missing.
    #[error("tracing needs root, or the capabilities CAP_BPF and CAP_PERFMON: run as root")]
    NotAllowed,
    /// The kernel does not describe its types.
    #[error(
        "this kernel does not describe its types (no /sys/kernel/btf/vmlinux): one with CONFIG_DEBUG_INFO_BTF is needed"
    )]
    NoBtf,
    /// The kernel has no ring buffer for eBPF.
    #[error("this kernel is too old for tracing: it has no ring buffer for eBPF, as Linux 5.8 and later have")]
    TooOld,
    /// The kernel is locked down.
    #[error("the kernel's lockdown (confidentiality) forbids tracing: boot with lockdown=integrity or without it")]
    LockedDown,
    /// Process ids seen here are not the kernel's own.
    #[error("this is a container with process ids of its own: run on the host, or with its process ids (--pid=host)")]
    PidNamespace,
    /// Its /proc shows another PID namespace.
    #[error("/proc here is that of another PID namespace: mount its own (mount -t proc proc /proc)")]
    OtherProc,
    /// The kernel refused a program.
    #[error("the kernel refused a program of the tracer: {log}")]
    Refused {
        /// The lines of its log that tell why.
        log: String,
    },
    /// There is no memory that may be locked.
    #[error("the limit of locked memory is too low for tracing: raise it (ulimit -l unlimited)")]
    Memory,
    /// Something else failed.
    #[error("tracing: {doing}: {why}")]
    Failed {
        /// What was tried.
        doing: &'static str,
        /// What came of it.
        why: String,
    },
}

#[cfg(feature = "ebpf")]
impl TraceError {
    pub(crate) fn failed(doing: &'static str, why: impl std::fmt::Display) -> Self {
        Self::Failed { doing, why: format!("{why:#}") }
    }
}
