//! The principal function is [`shown`]: text of another machine as it may be shown on a terminal.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_told_nothing() {
        assert_eq!(shown("a\x1b[2Jb\n\u{202e}c", 100), "a [2Jb  c");
        assert_eq!(shown("äöü", 3), "ä");
    }
}
