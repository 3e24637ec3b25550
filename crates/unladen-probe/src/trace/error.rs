//! The principal type is [`TraceError`].

/// Why nothing can be traced; each message says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    #[error(
        "built without eBPF: build with the feature `ebpf` (clang, libelf-dev, pkg-config and zlib1g-dev are needed)"
    )]
    NotBuilt,
    #[error("tracing needs root, or the capabilities CAP_BPF and CAP_PERFMON: run as root")]
    NotAllowed,
    #[error(
        "this kernel does not describe its types (no /sys/kernel/btf/vmlinux): one with CONFIG_DEBUG_INFO_BTF is needed"
    )]
    NoBtf,
    #[error("this kernel is too old for tracing: it has no ring buffer for eBPF, as Linux 5.8 and later have")]
    TooOld,
    #[error("the kernel's lockdown (confidentiality) forbids tracing: boot with lockdown=integrity or without it")]
    LockedDown,
    /// Process ids seen here are not the kernel's own.
    #[error("this is a container with process ids of its own: run on the host, or with its process ids (--pid=host)")]
    PidNamespace,
    #[error("/proc here is that of another PID namespace: mount its own (mount -t proc proc /proc)")]
    OtherProc,
    #[error("the kernel refused a program of the tracer: {log}")]
    Refused { log: String },
    #[error("the limit of locked memory is too low for tracing: raise it (ulimit -l unlimited)")]
    Memory,
    #[error("tracing: {doing}: {why}")]
    Failed { doing: &'static str, why: String },
}

#[cfg(feature = "ebpf")]
impl TraceError {
    pub(crate) fn failed(doing: &'static str, why: impl std::fmt::Display) -> Self {
        Self::Failed { doing, why: format!("{why:#}") }
    }
}
