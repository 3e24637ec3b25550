//! Files below /proc and /sys: process names and paths of control groups in them are chosen by others.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| unladen_probe::fuzzing::kernel_text(bytes));
