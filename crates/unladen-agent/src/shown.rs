//! The principal function is [`shown`]: text of another machine as it may be shown on a terminal.

use unladen_trace::without_secrets;

/// At most this many bytes of it, without control characters.
///
/// ```
/// use unladen_agent::shown;
/// assert_eq!(shown("gone\x1b[2J\u{202e}", 100), "gone [2J ");
/// ```
pub fn shown(text: &str, most: usize) -> String {
    let text = &text[..text.floor_char_boundary(most)];
    // Marks that turn the direction of text round could make a name read as another one.
    let is_plain = |c: char| !c.is_control() && !matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().map(|c| if is_plain(c) { c } else { ' ' }).collect()
}

/// As [`shown`], without [secrets](without_secrets): of commands, and of what they and logins say.
pub(crate) fn shown_without_secrets(text: &str, most: usize) -> String {
    // Secrets first: a cut could part one from its name. What is far behind the cut is not looked at.
    let beginning = &text[..text.floor_char_boundary(4 * most)];
    shown(&without_secrets(beginning), most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_told_nothing() {
        assert_eq!(shown("a\x1b[2Jb\n\u{202e}c", 100), "a [2Jb  c");
        assert_eq!(shown("äöü", 3), "ä");
    }

    #[test]
    fn a_secret_is_not_shown() {
        assert_eq!(shown_without_secrets("token=4d1f\x07 x", 100), "token=… x");
        assert_eq!(shown_without_secrets(&format!("a password={}", "4".repeat(900)), 100), "a password=…");
    }
}
