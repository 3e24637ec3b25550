//! The principal function is [`shown`]: untrusted text made safe for a terminal.

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

/// Bidirectional controls, line ends, and characters without width: they make a name read as another one.
fn is_unseen(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// As [`shown`], without [secrets](without_secrets): for commands, and for output of commands and logins.
pub(crate) fn shown_without_secrets(text: &str, most: usize) -> String {
    // Secrets first: a cut could part one from its name. Text far behind the cut is not examined.
    let beginning = &text[..text.floor_char_boundary(4 * most)];
    shown(&without_secrets(beginning), most)
}

#[cfg(test)]
mod tests;
