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
mod calibrate;
#[cfg(feature = "ebpf")]
mod calls;
mod config;
#[cfg(feature = "ebpf")]
mod counts;
#[cfg(feature = "ebpf")]
mod drain;
mod error;
#[cfg(feature = "ebpf")]
mod families;
#[cfg(feature = "ebpf")]
mod functions;
#[cfg(feature = "ebpf")]
mod kernel;
#[cfg(feature = "ebpf")]
mod kind;
#[cfg(feature = "ebpf")]
mod listening;
#[cfg(feature = "ebpf")]
mod log;
#[cfg(feature = "ebpf")]
mod mapped;
#[cfg(feature = "ebpf")]
mod object;
#[cfg(feature = "ebpf")]
mod record;
#[cfg(feature = "ebpf")]
mod refusal;
#[cfg(feature = "ebpf")]
mod require;
#[cfg(feature = "ebpf")]
mod tracer;
#[cfg(not(feature = "ebpf"))]
#[path = "trace/without.rs"]
mod tracer;

pub use config::{TracerConfig, Watched};
pub use error::TraceError;
pub use tracer::Tracer;

// The stack sampler is loaded, and refused, in the same way.
#[cfg(feature = "ebpf")]
pub(crate) use {
    log::listen,
    object::{Aligned, open},
    refusal::refusal,
    require::{require, require_first_namespace},
};
