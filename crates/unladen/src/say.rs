//! [`say!`]: a line on standard error, where a command says what it does besides its result.

use std::fmt;
use std::io::Write;

/// Says so on standard error. Unlike `eprintln!`, it goes on if nobody can be told: the disk behind it may be full, its
/// reader or the terminal gone. A run ended there, with its result lost, and 101 for an exit code.
macro_rules! say {
    ($($words:tt)*) => { $crate::say::line(format_args!($($words)*)) };
}

pub(crate) use say;

/// A line, in one piece.
pub(crate) fn line(words: fmt::Arguments<'_>) {
    let _ = std::io::stderr().write_all(format!("{words}\n").as_bytes());
}
