//! The principal type is [`Style`]: how text is formatted for its destination. [`ascii`] replaces characters for terminals
//! that show ASCII only; [`Edge`] applies it to all output except text to copy.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};
use std::num::NonZeroU64;

use anstyle::{AnsiColor, Effects};

/// Escape sequences would count as width, so formatted cells carry zero-width marks that become sequences when the
/// table is laid out.
pub(crate) const STRONG: char = '\u{2061}';
pub(crate) const WARN: char = '\u{2062}';
pub(crate) const FAINT: char = '\u{2063}';
pub(crate) const HEADING: char = '\u{2064}';
pub(crate) const END: char = '\u{2060}';
pub(crate) const MARKS: [char; 5] = [STRONG, WARN, FAINT, HEADING, END];

/// Width, colours and length of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// In columns.
    pub width: u16,
    pub colour: bool,
    pub ascii: bool,
    /// All figures, and not the first screen alone.
    pub details: bool,
    /// How findings are fixed; `None` where `unladen fix` does not have them, as their run is not kept.
    pub fix: Option<FixCommand>,
}

/// How a person has a finding applied: `sudo unladen fix --run 12`, and its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FixCommand {
    /// Root measured, and root's store has the run.
    pub is_root: bool,
    /// The run, if it is not the one that has just been kept.
    pub run: Option<NonZeroU64>,
}

impl fmt::Display for FixCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_root { "sudo unladen fix" } else { "unladen fix" })?;
        self.run.map_or(Ok(()), |run| write!(f, " --run {run}"))
    }
}

impl Style {
    /// All figures, without escape sequences.
    pub fn plain(width: u16) -> Self {
        let fix = Some(FixCommand { is_root: true, run: None });
        Self { width, colour: false, ascii: false, details: true, fix }
    }

    /// The text as written, for its width: replacements in ASCII may be longer.
    pub(crate) fn text<'t>(self, text: &'t str) -> Cow<'t, str> {
        if self.ascii { ascii(text) } else { Cow::Borrowed(text) }
    }

    /// Formats a heading.
    pub fn heading(self, text: &str) -> String {
        self.dress(text, anstyle::Style::new().effects(Effects::BOLD))
    }

    /// Formats the most important figure.
    pub fn strong(self, text: &str) -> String {
        self.dress(text, anstyle::Style::new().fg_color(Some(AnsiColor::Cyan.into())).effects(Effects::BOLD))
    }

    /// Formats a warning.
    pub fn warn(self, text: &str) -> String {
        self.dress(text, anstyle::Style::new().fg_color(Some(AnsiColor::Yellow.into())))
    }

    /// Formats an aside.
    pub fn faint(self, text: &str) -> String {
        self.dress(text, anstyle::Style::new().effects(Effects::DIMMED))
    }

    fn dress(self, text: &str, style: anstyle::Style) -> String {
        if self.colour { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }
}

/// Replacement for characters without one of their own.
const UNKNOWN: &str = "?";

/// Converts a text to ASCII.
///
/// ```
/// assert_eq!(unladen_report::ascii("210 ± 9 µs → …"), "210 +/- 9 us -> ...");
/// ```
pub fn ascii(text: &str) -> Cow<'_, str> {
    if text.is_ascii() { Cow::Borrowed(text) } else { Cow::Owned(replaced(text, &[])) }
}

/// Like [`ascii`], with some characters left as they are.
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
        // The last cell of a bar: at least about half full, then less.
        '█' | '▉' | '▊' | '▋' | '▌' => "#",
        '▍' | '▎' | '▏' => "|",
        // Column heights.
        '▁' => "_",
        '▂' => ".",
        '▃' => "-",
        '▄' => "=",
        '▅' => "+",
        '▆' => "*",
        '▇' => "%",
        // Box from quartile to quartile.
        '░' | '▒' | '▓' => "=",
        '§' => "section ",
        '✓' => "ok",
        '⚠' => "!",
        '\u{a0}' | '\u{202f}' | '\u{2009}' => " ",
        '\u{2060}'..='\u{2064}' | '\u{200b}' => "",
        _ => UNKNOWN,
    }
}

/// Writer that converts everything to ASCII if asked to, except text to copy.
pub(crate) struct Edge<'w> {
    out: &'w mut dyn Write,
    is_ascii: bool,
    /// Start of a character whose remaining bytes have not arrived.
    begun: Vec<u8>,
}

// === impl Edge ===

impl<'w> Edge<'w> {
    pub(crate) fn new(out: &'w mut dyn Write, is_ascii: bool) -> Self {
        Self { out, is_ascii, begun: Vec::new() }
    }

    /// Writes a path, a line of a configuration or a command unchanged: replaced characters would change its meaning,
    /// and `?` is a wildcard of the shell.
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
            // Invalid UTF-8 is passed on at once.
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
