//! [`gates`]: which conditions of `--fail-on` hold.

use std::io::{self, Write};

use unladen_document::Gate;

use super::prose::{clean, fill};
use crate::style::Style;

/// Width of `PASS` or `FAIL`, and a gap.
const GATE: usize = 6;

/// A line for each condition, with what it is of; nothing, without conditions.
pub(super) fn gates<'a>(
    gates: impl IntoIterator<Item = &'a Gate>,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut gates = gates.into_iter().peekable();
    if gates.peek().is_none() {
        return Ok(());
    }
    for gate in gates {
        let word = if gate.broken { style.warn("FAIL") } else { style.strong("PASS") };
        let untold = if gate.untold { "; unclear whether it holds: measure longer" } else { "" };
        let of = if gate.arm.is_empty() { &gate.url } else { &gate.arm };
        let text = format!("{} in `{of}` (fails if {}{untold})", gate.found, gate.condition);
        for (index, line) in
            fill(&clean(&text), usize::from(style.width).saturating_sub(GATE), style).iter().enumerate()
        {
            writeln!(out, "{}  {line}", if index == 0 { &word } else { "    " })?;
        }
    }
    writeln!(out)
}
