//! The principal type is [`Escape`]: how pages show text from outside. All templates use it (askama.toml).
//!
//! Anybody can send names in requests, files, SQL and headers. Apart from HTML's own characters, some change what a
//! person reads: control characters, direction marks, invisible characters (CVE-2021-42574, Trojan Source). These are
//! shown by their names, as `‹U+202E›`. Overlong text is cut, with a mark.

use std::fmt::{self, Write};

use askama::filters::Escaper;
use unladen_quantity::is_unseen;

/// In characters. Enough for SQL statements and paths.
const MOST: usize = 4_000;

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

pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // Writing to a String does not fail.
    let _ = Escape.write_escaped_str(&mut out, text);
    out
}

/// Longest address that the pages' own server accepts in a request's head, with room for a browser's other fields.
const LONGEST_ADDRESS: usize = 14_000;

/// The address of a link, as the value of an attribute. It is never cut, which would change it. `None` if no request
/// for it would be answered.
pub(crate) fn address(to: &str) -> Option<String> {
    if to.len() > LONGEST_ADDRESS {
        return None;
    }
    let mut out = String::with_capacity(to.len());
    for byte in to.bytes() {
        match byte {
            b'&' => out.push_str("&amp;"),
            // Characters of RFC 3986 except quotes.
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
        // Unicode has pictures for these.
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
        // Noncharacters, which a page must not contain.
        '\u{fdd0}'..='\u{fdef}' => true,
        _ => is_unseen(c),
    }
}

#[cfg(test)]
mod tests;
