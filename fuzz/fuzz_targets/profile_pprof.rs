//! Files for pprof, not packed: gzip's own faults are found elsewhere: they are refused with a place, or make a profile
//! that all writers write and our own format keeps.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| unladen_profile::fuzzing::check("pprof", bytes));
