//! Where text goes: its width, and whether it may be coloured.

use std::io::IsTerminal as _;

use terminal_size::{Width, terminal_size};
use unladen_report::Style;

/// Columns where there is no terminal to ask.
const WIDTH_OF_FILES: u16 = 100;
/// Tables do not fit into less.
const LEAST_WIDTH: u16 = 60;

/// The style of standard output. Colours only on a terminal, and never with NO_COLOR (no-color.org) or on a
/// dumb terminal.
pub(crate) fn style() -> Style {
    let is_terminal = std::io::stdout().is_terminal();
    let width =
        terminal_size().filter(|_| is_terminal).map_or(WIDTH_OF_FILES, |(Width(width), _)| width.max(LEAST_WIDTH));
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    Style { width, colour: is_terminal && !refused && !dumb }
}
