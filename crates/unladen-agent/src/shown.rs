//! The principal function is [`shown`]: untrusted text made safe for a terminal.

use unladen_quantity::is_unseen;
use unladen_trace::without_secrets;

/// The text without control characters, cut to `most` bytes.
///
/// ```
/// use unladen_agent::shown;
/// assert_eq!(shown("gone\x1b[2J\u{202e}", 100), "gone [2J ");
/// ```
pub fn shown(text: &str, most: usize) -> String {
    let text = &text[..text.floor_char_boundary(most)];
    text.chars().map(|c| if c.is_control() || is_unseen(c) { ' ' } else { c }).collect()
}

/// As [`shown`], without [secrets](without_secrets): for commands, and for output of commands and logins.
pub(crate) fn shown_without_secrets(text: &str, most: usize) -> String {
    // Secrets first: a cut could part one from its name. Text far behind the cut is not examined.
    let beginning = &text[..text.floor_char_boundary(4 * most)];
    shown(&without_secrets(beginning), most)
}

#[cfg(test)]
mod tests;
