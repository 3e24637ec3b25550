//! The machine that a measurement runs on. The principal type is [`Environment`]: what the machine is.
//!
//! - [`Revision`] is the state of the application's source, as git has it.
//! - [`MachineClock`] reads what the processors did, and what was taken from them; [`MachineTimes`] is what happened
//!   between two readings.
//! - [`Interleaved`] runs [`ReferenceWork`] between the blocks of a run: how long work takes that never changes is how
//!   fast the machine was.
//!
//! ```
//! use unladen_machine::{Environment, ReferenceWork};
//!
//! let environment = Environment::of_this_machine();
//! println!("{} processors, virtualisation: {}", environment.processors, environment.virtualisation);
//! let sample = ReferenceWork::new(1)?.run_one()?;
//! println!("a piece of {}: {} ns", sample.kind, sample.cpu_ns);
//! # Ok::<(), unladen_machine::ReferenceError>(())
//! ```
#![deny(unsafe_code)]

mod descriptors;
mod environment;
mod reference;
mod revision;
mod root;
mod times;

pub use descriptors::keep_inherited_descriptors;
pub use environment::{Environment, Software, Virtualisation, software_of};
pub use reference::{
    Figure, Interleaved, Reference, ReferenceError, ReferenceKind, ReferenceSample, ReferenceWork,
    VERSION as REFERENCE_VERSION,
};
pub use revision::{Revision, RevisionError, in_own_session};
pub use root::{decimal, number_after};
pub use times::{
    ControlGroupMount, MachineClock, MachineReading, MachineTimes, Places, ProcessorTimes, Throttled, Throttling,
    control_group_mounts, some_pressure_ns, throttled_ns,
};
