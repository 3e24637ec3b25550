//! [`say!`]: a line on standard error, for the operator.

use std::fmt;
use std::io::Write;

/// Prints a line on standard error. Unlike `eprintln!`, it survives a full disk or a reader that is gone.
macro_rules! say {
    ($($words:tt)*) => { $crate::say::line(format_args!($($words)*)) };
}

pub(crate) use say;

/// Written in one piece.
pub(crate) fn line(words: fmt::Arguments<'_>) {
    let _ = std::io::stderr().write_all(format!("{words}\n").as_bytes());
}
