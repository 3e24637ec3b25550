//! Sentences, filled to the width of the terminal.

use std::io::{self, Write};

use crate::style::Style;
use crate::warning::Warning;

pub(super) fn warnings(warnings: &[Warning], style: Style, out: &mut dyn Write) -> io::Result<()> {
    for warning in warnings {
        wrapped(&warning.to_string(), style, out)?;
    }
    Ok(())
}

/// A text, over as many lines as it takes.
pub(super) fn paragraph(text: &str, style: Style, out: &mut dyn Write) -> io::Result<()> {
    for line in fill(&clean(text), usize::from(style.width)) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// Without control characters: names and messages come from outside and could steer the terminal.
pub(super) fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

pub(super) fn wrapped(text: &str, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let lines = fill(text, usize::from(style.width).saturating_sub(2));
    for (index, line) in lines.iter().enumerate() {
        let mark = if index == 0 { style.warn("!") } else { " ".to_owned() };
        writeln!(out, "{mark} {line}")?;
    }
    Ok(())
}

/// Breaks a text into lines of at most `width` characters, at blanks.
pub(super) fn fill(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let Some(line) = lines.last_mut() else { break };
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(word.to_owned());
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}
