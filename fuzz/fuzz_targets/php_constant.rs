//! Constant expressions of PHP: whatever a file holds, it is read to an end, and errors name the file and a line of it.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use unladen_classmap::php::constant::{assigned, assignments, calls, returned};

fuzz_target!(|source: &[u8]| {
    let path = Path::new("/app/file.php");
    let lines = 1 + source.iter().filter(|byte| **byte == b'\n').count() as u32;
    let problems = [
        returned(source, path).err(),
        assigned(source, path, "$map").err(),
        assigned(source, path, "MAP").err(),
        assignments(source, path, "$map").err(),
        calls(source, path, &["load", "define"], &[]).err(),
    ];
    for problem in problems.into_iter().flatten() {
        assert!(problem.path == path && !problem.what.is_empty(), "{problem}");
        assert!(problem.line.is_some_and(|line| (1..=lines).contains(&line)), "{problem}");
    }
});
