//! The list of probes; one file for each.

mod cpu;
mod faults;
mod io;
mod network;
mod pressure;
mod starts;
mod steal;
mod switches;
mod system;

use crate::probe::ProbeEntry;

/// All probes, in the order of a table's rows.
pub static PROBES: &[ProbeEntry] = &[
    cpu::ENTRY,
    switches::ENTRY,
    faults::ENTRY,
    io::ENTRY,
    starts::ENTRY,
    network::ENTRY,
    system::ENTRY,
    pressure::ENTRY,
    steal::ENTRY,
];
