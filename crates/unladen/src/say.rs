//! [`say!`]: a line on standard error, where a command says what it does besides its result.

use std::fmt;
use std::io::Write;

use unladen_publish::visible_lines;

/// Says so on standard error. Unlike `eprintln!`, it goes on if nobody can be told: the disk behind it may be full, its
/// reader or the terminal gone. A run ended there, with its result lost, and 101 for an exit code.
macro_rules! say {
    ($($words:tt)*) => { $crate::say::line(format_args!($($words)*)) };
}

pub(crate) use say;

/// A line, in one piece. What it names, files, processes and answers, may be called anything: no escape sequence of
/// theirs reaches the terminal.
pub(crate) fn line(words: fmt::Arguments<'_>) {
    let _ = std::io::stderr().write_all(said(words).as_bytes());
}

fn said(words: fmt::Arguments<'_>) -> String {
    visible_lines(&format!("{words}\n"))
}

#[cfg(test)]
mod tests;
