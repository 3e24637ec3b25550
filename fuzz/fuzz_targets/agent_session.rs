//! All that comes from another host before and while an agent runs there: logins write what they like, and what is told
//! of it can be shown.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| unladen_agent::fuzzing::session(bytes));
