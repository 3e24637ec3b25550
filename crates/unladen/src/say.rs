//! [`say!`]: a line on standard error, for what a command says besides its result.

use std::fmt;
use std::io::Write;

use unladen_publish::visible_lines;

/// Prints to standard error. Unlike `eprintln!`, it goes on if that fails, because the disk is full or the reader or
/// the terminal is gone. A run used to end there, with its result lost, and exit code 101.
macro_rules! say {
    ($($words:tt)*) => { $crate::say::line(format_args!($($words)*)) };
}

pub(crate) use say;

/// One line in one write. Names of files and processes, and answers, may be anything: no escape sequence of theirs
/// reaches the terminal.
pub(crate) fn line(words: fmt::Arguments<'_>) {
    let _ = std::io::stderr().write_all(said(words).as_bytes());
}

fn said(words: fmt::Arguments<'_>) -> String {
    visible_lines(&format!("{words}\n"))
}

#[cfg(test)]
mod tests;
