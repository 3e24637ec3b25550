//! The principal type is [`Escape`]: how text from outside stands in a page. All templates write by it (askama.toml).
//!
//! Names come from requests, files, SQL and headers of whoever likes to send them. Beyond the characters that have a
//! meaning in HTML, some change what a person reads: control characters, marks that turn the direction of all that
//! follows, characters that nobody sees (CVE-2021-42574, Trojan Source). These are shown by their names, as `‹U+202E›`. A text that is longer than any
//! of use is cut, and says so.

use std::fmt::{self, Write};

use askama::filters::Escaper;

use crate::visible::is_unseen;

/// In characters. Statements of SQL and paths have their place in it.
pub(super) const MOST: usize = 4_000;

/// Escapes texts and values of attributes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Escape;

impl Escaper for Escape {
    fn write_escaped_str<W: Write>(&self, mut out: W, text: &str) -> fmt::Result {
        let mut plain_from = 0;
        for (count, (at, c)) in text.char_indices().enumerate() {
            if count == MOST {
                out.write_str(&text[plain_from..at])?;
                return write!(out, "… ({} more characters)", text[at..].chars().count());
            }
            if !is_special(c) {
                continue;
            }
            out.write_str(&text[plain_from..at])?;
            plain_from = at + c.len_utf8();
            special(c, &mut out)?;
        }
        out.write_str(&text[plain_from..])
    }
}

/// As markup.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // A string takes whatever is written.
    let _ = Escape.write_escaped_str(&mut out, text);
    out
}

/// The longest address that the pages' own server takes in a request's head, with room for a browser's other fields.
const LONGEST_ADDRESS: usize = 14_000;

/// The address of a link, as the value of an attribute. It is never cut: that would be another address. None: no request
/// for it would be answered.
pub(super) fn address(to: &str) -> Option<String> {
    if to.len() > LONGEST_ADDRESS {
        return None;
    }
    let mut out = String::with_capacity(to.len());
    for byte in to.bytes() {
        match byte {
            b'&' => out.push_str("&amp;"),
            // What RFC 3986 has in addresses, without quotes.
            _ if byte.is_ascii_alphanumeric() || b"-._~/?#=%:@!$()*+,;".contains(&byte) => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    Some(out)
}

fn special(c: char, out: &mut impl Write) -> fmt::Result {
    match c {
        '&' => out.write_str("&amp;"),
        '<' => out.write_str("&lt;"),
        '>' => out.write_str("&gt;"),
        '"' => out.write_str("&quot;"),
        '\'' => out.write_str("&#39;"),
        // Unicode has pictures of these.
        '\0'..='\u{1f}' => out.write_char(char::from_u32(0x2400 + c as u32).unwrap_or('␀')),
        '\u{7f}' => out.write_char('␡'),
        _ => write!(out, "‹U+{:04X}›", u32::from(c)),
    }
}

fn is_special(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '&' | '<' | '>' | '"' | '\'' => true,
        '\0'..='\u{9f}' => c.is_control(),
        // These are no characters, and a page may not have them.
        '\u{fdd0}'..='\u{fdef}' => true,
        _ => is_unseen(c),
    }
}

#[cfg(test)]
mod tests;
