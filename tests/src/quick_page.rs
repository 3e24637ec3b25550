//! A page of a millisecond that repeats work, and how it is weighed: [`PAGE`] and [`weigh_for`].

use crate::call::Call;

/// Asks for five files that are not there, one of them twice, and says so many bytes.
pub const PAGE: &str = r#"<?php
foreach (['a', 'b', 'c', 'd', 'e', 'e'] as $name) {
    file_exists(__DIR__ . "/none/$name");
}
echo str_repeat('text ', 200);
"#;

/// Compiled for each request.
pub const COMPILED: &[&str] = &["opcache.enable=0"];

/// A run for a page of a millisecond.
pub fn weigh_for(time: &str) -> Call {
    Call::weigh(["--time", time, "--phase", "60ms", "--settle", "10ms"])
}
