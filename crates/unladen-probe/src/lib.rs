//! Counters and tracing. The principal type is [`Instrument`]: it reads all [`PROBES`] at the edges of phases and
//! yields cumulative counters by group. [`Tracer`] traces what processes do, [`StackSampler`] where in their code they
//! are.
//!
//! A probe is one file in `probes/` and one line in the list [`PROBES`], which drives behaviour, help and
//! documentation. Counters only grow: counts of an ended process are kept. No configuration says which processes
//! matter.
//!
//! ```no_run
//! use unladen_probe::{GroupBy, Instrument};
//!
//! let mut instrument = Instrument::open(GroupBy::Auto)?;
//! let before = instrument.read()?;
//! std::thread::sleep(std::time::Duration::from_millis(100));
//! let after = instrument.read()?;
//! for (group, counter, grown) in after.since(&before) {
//!     let (group, counter) = (instrument.group(group), instrument.counter(counter));
//!     println!("{group}  {}  {grown} {}", counter.name, counter.unit);
//! }
//! # Ok::<(), unladen_probe::ProbeError>(())
//! ```
#![forbid(unsafe_code)]

mod cgroup;
mod container;
mod container_path;
mod container_state;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod group;
mod inspection;
mod instrument;
mod ledger;
mod own;
mod php_settings;
mod probe;
mod probes;
mod process;
mod procfs;
mod server;
mod stacks;
mod taskstats;
mod tcp_table;
mod trace;

pub use container::Container;
pub use container_path::is_restart;
pub use group::{Group, GroupBy, GroupKind};
pub use inspection::{Inspection, InspectionError, group_seen, php_settings};
pub use instrument::{Instrument, Member, ReadCost};
pub use ledger::{Counter, CounterId, GroupId, Reading, Unit};
pub use own::Own;
pub use php_settings::{AskError, PhpSettings, PhpSettingsError};
pub use probe::{PROBES, Probe, ProbeEntry, Scene, Shortfall};
pub use procfs::{ProbeError, monotonic_ns, parent};
pub use stacks::{ProcessGroups, StackBatch, StackSample, StackSampler};
pub use tcp_table::{ConnectedSocket, ListeningSocket, connected_sockets, listening_sockets};
pub use trace::{TraceError, Tracer, TracerConfig, Watched};
