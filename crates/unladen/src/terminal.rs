//! The terminal's width, and whether output may be coloured.

use std::io::IsTerminal as _;

use std::sync::OnceLock;

use clap::ValueEnum;
use nix::unistd::geteuid;
use terminal_size::{Width, terminal_size};
use unladen_report::{FixCommand, Style};

use crate::locale;

/// Columns if there is no terminal to ask.
const WIDTH_OF_FILES: u16 = 100;
/// Tables do not fit into less.
const LEAST_WIDTH: u16 = 60;

/// When there are colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Also into files and pipes
    Always,
    /// Nowhere
    Never,
}

static COLOUR: OnceLock<Colour> = OnceLock::new();

/// Only the first call counts.
pub(crate) fn set_colour(colour: Colour) {
    let _ = COLOUR.set(colour);
}

/// The style of standard output, for the first screen. By default, colours only on a terminal, and never with NO_COLOR
/// (no-color.org) or on a dumb terminal.
pub(crate) fn style() -> Style {
    let is_terminal = std::io::stdout().is_terminal();
    let width =
        terminal_size().filter(|_| is_terminal).map_or(WIDTH_OF_FILES, |(Width(width), _)| width.max(LEAST_WIDTH));
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let colour = match COLOUR.get() {
        Some(Colour::Always) => true,
        Some(Colour::Never) => false,
        Some(Colour::Auto) | None => is_terminal && !refused && !dumb,
    };
    let fix = Some(FixCommand { is_root: geteuid().is_root(), run: None });
    Style { width, colour, ascii: locale::is_ascii(), details: false, fix }
}
