//! The machine that a measurement runs on.
#![forbid(unsafe_code)]

mod environment;
mod kernel_text;
mod plain_file;
mod reference;
mod revision;
mod root;
mod times;

pub use environment::{Environment, Software, Virtualisation, software_of};
pub use kernel_text::{decimal, number_after};
pub use reference::{
    Figure, Interleaved, Reference, ReferenceError, ReferenceKind, ReferenceSample, ReferenceWork,
    VERSION as REFERENCE_VERSION,
};
pub use revision::{Revision, RevisionError};
pub use times::{
    ControlGroupMount, MachineClock, MachineReading, MachineTimes, Places, ProcessorTimes, Throttled, Throttling,
    control_group_mounts, some_pressure_ns, throttled_ns,
};
