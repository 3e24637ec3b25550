//! The principal type is [`Style`]: how text is formatted for its destination.

use std::borrow::Cow;

use anstyle::{AnsiColor, Effects};

use crate::ascii::ascii;

/// Width and colours of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// In columns.
    pub width: u16,
    pub colour: bool,
    pub ascii: bool,
}

impl Style {
    /// A style without escape sequences.
    pub fn plain(width: u16) -> Self {
        Self { width, colour: false, ascii: false }
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
