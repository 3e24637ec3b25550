//! Where inside the code the time goes. The principal type is [`Profile`]: stacks with weights, request by request, in
//! one form for all profilers.
//!
//! ```
//! use unladen_profile::{About, Frame, Profile, Unit, functions};
//!
//! let mut profile = Profile::new(About { unit: Unit::Samples, ..About::default() });
//! let main = profile.frames.intern(Frame::function("main"));
//! let find = profile.frames.intern(Frame::function("Autoloader::find"));
//! for request in 0..8 {
//!     let begun = profile.stacks.push(profile.stacks.root(), main);
//!     let found = profile.stacks.push(begun, find);
//!     let cluster = profile.begin_request();
//!     profile.add(cluster, begun, 5);
//!     profile.add(cluster, found, 1 + request % 2);
//! }
//! let rows = functions(&profile);
//! assert_eq!(profile.frames.get(rows[0].frame).name, "main");
//! assert_eq!(rows[1].self_weight, 12);
//! ```
//!
//! Readers and writers are one file each, listed in [`READERS`] and [`WRITERS`]; [`merge`], [`diff`] and [`functions`]
//! are pure. `unladen-profiler` runs profilers.
#![forbid(unsafe_code)]

mod diff;
mod frame;
mod function;
#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub mod fuzzing;
mod grep;
mod input;
mod merge;
mod profile;
mod read;
mod readers;
mod stack;
mod tally;
mod text;
mod write;
mod writers;

pub use diff::{Diff, DiffRow, diff};
pub use frame::{Frame, FrameId, FrameKind, Frames};
pub use function::{Caller, FunctionRow, MIN_REQUESTS, functions};
pub use grep::{Pattern, PatternError, grep};
pub use input::Input;
pub use merge::{MergeError, merge};
pub use profile::{About, CallCount, Cluster, ClusterId, MAX_DECIMALS, Profile, Unit};
pub use read::{READERS, read, reader_named};
pub use readers::excimer::ExcimerLog;
pub use readers::{ProfileReader, ReadError};
pub use stack::{StackId, Stacks};
pub use write::{WRITERS, writer_for, writer_named};
pub use writers::Writer;
pub use writers::flame::{FlameStyle, flame, flame_diff};

#[cfg(test)]
mod tests;
