//! The line at the head of a class map that says how it was made: whatever stands there, it is read, refused with its
//! line, or none.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use unladen_classmap::Made;

fuzz_target!(|line: &[u8]| {
    let target = Path::new("/app/unladen-classmap.php");
    let source = [b"<?php\n// Made with: ", line].concat();
    match Made::read(&source, target) {
        Ok(Some(made)) => {
            let written = format!("<?php\n{}", made.line(target));
            assert_eq!(Made::read(written.as_bytes(), target), Ok(Some(made)));
        }
        Ok(None) => {}
        Err(problem) => assert!(problem.path == target && problem.line.is_some_and(|line| line > 0), "{problem}"),
    }
});
