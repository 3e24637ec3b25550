//! What stands for characters where a terminal shows ASCII alone: [`ascii`], and the edge of a text at which nothing
//! else passes but what is copied, [`Edge`].

use std::borrow::Cow;
use std::io::{self, Write};

/// Stands for a character that nothing else stands for.
const UNKNOWN: &str = "?";

/// The text in ASCII.
///
/// ```
/// assert_eq!(unladen_report::ascii("210 ± 9 µs → …"), "210 +/- 9 us -> ...");
/// ```
pub fn ascii(text: &str) -> Cow<'_, str> {
    if text.is_ascii() { Cow::Borrowed(text) } else { Cow::Owned(replaced(text, &[])) }
}

/// Likewise, but for some characters that stay.
pub(crate) fn replaced(text: &str, kept: &[char]) -> String {
    let mut all = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii() || kept.contains(&c) {
            all.push(c);
        } else {
            all.push_str(stand_in(c));
        }
    }
    all
}

fn stand_in(c: char) -> &'static str {
    match c {
        '±' => "+/-",
        'µ' | 'μ' => "u",
        '×' | '✕' => "x",
        '≈' | '∼' => "~",
        '≤' => "<=",
        '≥' => ">=",
        '≠' => "!=",
        '→' => "->",
        '←' => "<-",
        '…' => "...",
        '–' | '−' | '‐' | '‑' | '─' | '━' => "-",
        '—' => "--",
        '·' | '•' | '●' => ".",
        '‘' | '’' | '╵' | '╷' => "'",
        '“' | '”' | '„' => "\"",
        '│' | '┃' | '├' | '┤' => "|",
        '┌' | '┐' | '└' | '┘' | '┬' | '┴' | '┼' => "+",
        // A bar's last cell, whole or about half of it, and less.
        '█' | '▉' | '▊' | '▋' | '▌' => "#",
        '▍' | '▎' | '▏' => "|",
        // The heights of columns.
        '▁' => "_",
        '▂' => ".",
        '▃' => "-",
        '▄' => "=",
        '▅' => "+",
        '▆' => "*",
        '▇' => "%",
        // A box from quartile to quartile.
        '░' | '▒' | '▓' => "=",
        '§' => "section ",
        '✓' => "ok",
        '⚠' => "!",
        '\u{a0}' | '\u{202f}' | '\u{2009}' => " ",
        '\u{2060}'..='\u{2064}' | '\u{200b}' => "",
        _ => UNKNOWN,
    }
}

/// Lets nothing but ASCII through, if so, and what is copied.
pub(crate) struct Edge<'w> {
    out: &'w mut dyn Write,
    is_ascii: bool,
    /// The beginning of a character whose rest is still to come.
    begun: Vec<u8>,
}

// === impl Edge ===

impl<'w> Edge<'w> {
    pub(crate) fn new(out: &'w mut dyn Write, is_ascii: bool) -> Self {
        Self { out, is_ascii, begun: Vec::new() }
    }

    /// Writes a path, a line of a configuration or a command as it is: with other characters in its place it would be
    /// another one, and `?` is a wildcard of the shell.
    pub(crate) fn verbatim(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())
    }
}

impl Write for Edge<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.is_ascii {
            return self.out.write(bytes);
        }
        self.begun.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.begun) {
            Ok(text) => text.len(),
            // What is no UTF-8 at all is not waited for.
            Err(error) => error.error_len().map_or(error.valid_up_to(), |bad| error.valid_up_to() + bad),
        };
        let whole: Vec<u8> = self.begun.drain(..whole).collect();
        self.out.write_all(ascii(&String::from_utf8_lossy(&whole)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests;
