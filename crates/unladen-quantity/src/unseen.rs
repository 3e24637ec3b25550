//! Characters that show nothing or change how others show: names and texts come from outside, and with these they read
//! as something else, or control a terminal.

use std::fmt::Write as _;

/// Control characters beyond ASCII, marks of direction, characters without width, and noncharacters (Unicode Standard
/// Annex 9, section 2; Unicode Standard, section 23.7). Those of ASCII are [`char::is_control`].
pub fn is_unseen(c: char) -> bool {
    matches!(c,
        '\u{80}'..='\u{9f}' | '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}')
        || u32::from(c) & 0xfffe == 0xfffe
}

/// JSON with these characters escaped: it reads back as the same values, and does nothing to a terminal. They can only be
/// in its strings.
///
/// ```
/// use unladen_quantity::inert_json;
/// assert_eq!(inert_json("{\"name\": \"a\u{9b}2J\"}"), r#"{"name": "a\u009b2J"}"#);
/// ```
pub fn inert_json(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if is_unseen(c) || c == '\u{7f}' {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a String does not fail.
                let _ = write!(text, "\\u{unit:04x}");
            }
        } else {
            text.push(c);
        }
    }
    text
}
