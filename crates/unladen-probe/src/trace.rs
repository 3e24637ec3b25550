//! Tracing of processes in the kernel. The principal type is [`Tracer`].
//!
//! eBPF programs see every system call of the followed processes, the processes themselves, and a few functions of PHP,
//! Perl and SQLite. docs/reference/trace.md lists what is attached and what it costs.
//!
//! ```no_run
//! use unladen_probe::{Tracer, TracerConfig, Watched};
//!
//! let mut tracer = Tracer::open(&TracerConfig::default())?;
//! tracer.watch(&[Watched { pid: 4711, group: 0, children: 0, own: true }])?;
//! std::thread::sleep(std::time::Duration::from_secs(1));
//! let batch = tracer.take()?;
//! println!("{} events, {} lost", batch.events.len(), batch.lost);
//! # Ok::<(), unladen_probe::TraceError>(())
//! ```

#[cfg(feature = "ebpf")]
mod calls;
#[cfg(feature = "ebpf")]
mod counts;
#[cfg(feature = "ebpf")]
mod drain;
#[cfg(feature = "ebpf")]
mod functions;
#[cfg(feature = "ebpf")]
mod kernel;
#[cfg(feature = "ebpf")]
mod object;
#[cfg(feature = "ebpf")]
mod record;
#[cfg(feature = "ebpf")]
mod tracer;
#[cfg(not(feature = "ebpf"))]
#[path = "trace/without.rs"]
mod tracer;

// The stack sampler is loaded, and refused, in the same way.
#[cfg(feature = "ebpf")]
pub(crate) use object::{Aligned, listen, open, refusal, require, require_first_namespace};
pub use tracer::Tracer;

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
    #[error("this kernel does not describe its types (no /sys/kernel/btf/vmlinux): use one with CONFIG_DEBUG_INFO_BTF")]
    NoBtf,
    #[error("this kernel is too old for tracing: it has no eBPF ring buffer, which Linux 5.8 and later have")]
    TooOld,
    #[error("the kernel's lockdown (confidentiality) forbids tracing: boot with lockdown=integrity or without it")]
    LockedDown,
    /// Process ids seen here are not the kernel's own.
    #[error(
        "this is a container with its own process ids: run on the host, or with the host's process ids \
        (--pid=host)"
    )]
    PidNamespace,
    #[error("/proc here belongs to another PID namespace: mount the right one (mount -t proc proc /proc)")]
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
