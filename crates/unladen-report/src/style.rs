//! The principal type is [`Style`]: how text is dressed for where it goes.

use anstyle::{AnsiColor, Effects};

/// Width and colours of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Columns.
    pub width: u16,
    /// Whether escape sequences may be written.
    pub colour: bool,
}

impl Style {
    /// Without any escape sequence.
    pub fn plain(width: u16) -> Self {
        Self { width, colour: false }
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
