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
mod tests {
    use super::*;

    /// The name of a file or a process that a message names cleared the screen, or set the terminal's title.
    #[test]
    fn a_name_in_a_message_steered_the_terminal() {
        let name = "a\u{1b}[2J\u{1b}]0;x\u{7}\u{9b}\u{202e}\rb";
        let said = said(format_args!("unladen: cannot read {name}\nnext"));
        assert_eq!(said, "unladen: cannot read a␛[2J␛]0;x␇‹U+009B›‹U+202E›␍b\nnext\n");
    }
}
