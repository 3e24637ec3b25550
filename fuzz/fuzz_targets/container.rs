//! `/proc/PID/cgroup`: names of control groups are chosen by others, and what is made of them is shown, or copied into
//! a shell.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unladen_probe::fuzzing::container;
use unladen_probe::is_restart;

fuzz_target!(|text: &str| {
    let Some((name, restart)) = container(text) else { return };
    assert!(name.strip_prefix("the container ").is_some_and(|name| !name.is_empty()), "{name:?}");
    assert!(!name.chars().any(char::is_control), "{name:?}");
    let Some(restart) = restart else { return };
    assert!(is_restart(&restart), "{restart:?}");
});
