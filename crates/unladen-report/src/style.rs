//! The principal type is [`Style`]: how text is dressed for where it goes.

use std::borrow::Cow;

use anstyle::{AnsiColor, Effects};

use crate::ascii::ascii;

/// Width and colours of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Columns.
    pub width: u16,
    /// Whether escape sequences may be written.
    pub colour: bool,
    /// Whether nothing but ASCII may be written.
    pub ascii: bool,
}

impl Style {
    /// Without any escape sequence.
    pub fn plain(width: u16) -> Self {
        Self { width, colour: false, ascii: false }
    }

    /// As wide as it will be written: what stands for a character in ASCII may be longer.
    pub(crate) fn text<'t>(self, text: &'t str) -> Cow<'t, str> {
        if self.ascii { ascii(text) } else { Cow::Borrowed(text) }
    }

    /// A heading.
    pub fn heading(self, text: &str) -> String {
        self.dress(text, anstyle::Style::new().effects(Effects::BOLD))
    }

    /// The figure to look at.
    pub fn strong(self, text: &str) -> String {
        self.dress(text, anstyle::Style::new().fg_color(Some(AnsiColor::Cyan.into())).effects(Effects::BOLD))
    }

    /// A warning.
    pub fn warn(self, text: &str) -> String {
        self.dress(text, anstyle::Style::new().fg_color(Some(AnsiColor::Yellow.into())))
    }

    /// An aside.
    pub fn faint(self, text: &str) -> String {
        self.dress(text, anstyle::Style::new().effects(Effects::DIMMED))
    }

    fn dress(self, text: &str, style: anstyle::Style) -> String {
        if self.colour { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }
}
