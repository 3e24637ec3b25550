//! The time of the machine's processors, and who took how much of it.

mod control_group;
mod frequency;
mod machine_clock;
mod machine_times;
mod pressure;
mod processor_times;
mod throttling;

pub use control_group::{ControlGroupMount, control_group_mounts, throttled_ns};
pub use machine_clock::{MachineClock, MachineReading, Places};
pub use machine_times::MachineTimes;
pub use pressure::some_pressure_ns;
pub use processor_times::ProcessorTimes;
pub use throttling::{Throttled, Throttling};
