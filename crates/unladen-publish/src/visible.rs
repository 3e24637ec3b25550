//! Foreign text as people read it: [`visible`] without invisible characters, [`command_line`] quoted for a shell.

use std::fmt::Write;

use unladen_quantity::is_unseen;

/// Shows characters that control a terminal, break a line, or reverse text: names of files, SQL and header values can
/// contain any. A line feed becomes `␊`, a right-to-left override `‹U+202E›`.
pub fn visible(text: &str) -> String {
    shown(text, |_| false)
}

/// Like [`visible`], but keeps line breaks, for text of several lines.
pub fn visible_lines(text: &str) -> String {
    shown(text, |c| c == '\n')
}

/// At most `most` characters, with `…` for the rest.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some(_) => text.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
        None => text.to_owned(),
    }
}

pub(crate) fn command_line(words: &[String]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| unladen_finding::shell_word(word)).collect();
    quoted.join(" ")
}

fn shown(text: &str, is_kept: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            _ if is_kept(c) => out.push(c),
            // Unicode has the pictures of control characters in their order.
            '\0'..='\x1f' => out.push(char::from_u32(0x2400 + u32::from(c)).unwrap_or(char::REPLACEMENT_CHARACTER)),
            '\x7f' => out.push('␡'),
            _ if is_unseen(c) => {
                // Writing to a String does not fail.
                let _ = write!(out, "‹U+{:04X}›", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests;
