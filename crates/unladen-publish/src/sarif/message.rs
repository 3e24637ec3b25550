//! [`message`]: foreign text in a message of SARIF.

use super::log::Text;
use crate::visible::{shortened, visible};

/// In characters.
const MOST: usize = 2_000;

/// A plain message: `[text](1)` would be a link, and braces a placeholder (sections 3.11.5 and 3.11.6).
pub(super) fn message(text: &str) -> Text {
    Text { text: escaped(text), markdown: None }
}

pub(super) fn escaped(text: &str) -> String {
    let text = shortened(&visible(text), MOST);
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '{' | '}' => out.extend([c, c]),
            '[' | ']' | '\\' => out.extend(['\\', c]),
            _ => out.push(c),
        }
    }
    out
}
