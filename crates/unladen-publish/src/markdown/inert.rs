//! Foreign text, inert in Markdown and its viewers: [`prose`] within sentences, [`code`] for names, [`html`] within
//! tags, and [`fence`] for lines to copy.
//!
//! CommonMark has escapes for its own marks alone. GitHub and GitLab then scan the text again, and turn `@name`, `#1`,
//! `!1`, `GH-1`, `https://…`, `www.…`, `:name:`, mail addresses and commit hashes into links and notifications. A
//! zero-width space after the first character prevents that; they do not scan code. GitLab takes a line that begins
//! with a slash as a command.

use crate::visible::{shortened, visible};

/// A zero-width space.
const NOTHING: &str = "&#8203;";

/// In characters.
const SENTENCE: usize = 1_000;

/// In characters.
const NAME: usize = 200;

/// Length of commit hashes, shortened ones too.
const HASH: std::ops::RangeInclusive<usize> = 7..=40;

pub(super) fn prose(text: &str) -> String {
    sentence(text, true, is_mark)
}

/// What follows in a sentence that has begun.
pub(super) fn further(text: &str) -> String {
    sentence(text, false, is_mark)
}

fn is_mark(c: char) -> bool {
    matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '$' | '#')
}

/// A sentence within tags, where Markdown does not apply.
pub(super) fn html(text: &str) -> String {
    sentence(text, true, |_| false)
}

fn sentence(text: &str, begins: bool, is_escaped: impl Fn(char) -> bool) -> String {
    let text = shortened(&visible(text), SENTENCE);
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len() + 16);
    let mut hash_end = 0;
    for (index, c) in chars.iter().copied().enumerate() {
        let (before, next) = (index.checked_sub(1).and_then(|at| chars.get(at)), chars.get(index + 1));
        if index >= hash_end && before.is_none_or(|c| !c.is_alphanumeric()) {
            let digits = chars[index..].iter().take_while(|c| c.is_ascii_hexdigit()).count();
            let is_hash = HASH.contains(&digits) && chars.get(index + digits).is_none_or(|c| !c.is_alphanumeric());
            hash_end = if is_hash { index + digits } else { hash_end };
        }
        // `www.` begins an address by itself.
        if c == '.' && before.is_some_and(|c| c.eq_ignore_ascii_case(&'w')) {
            out.push_str(NOTHING);
        }
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // Would begin a list, a heading, a rule or a command.
            '+' | '-' if begins && index == 0 && next.is_none_or(|next| next.is_whitespace() || *next == c) => {
                out.push_str(&format!("&#{};", u32::from(c)));
            }
            '=' | '/' if begins && index == 0 => out.push_str(&format!("&#{};", u32::from(c))),
            '.' | ')'
                if begins
                    && next.is_none_or(|c| c.is_whitespace())
                    && chars[..index].iter().all(char::is_ascii_digit) =>
            {
                out.push_str(&format!("&#{};", u32::from(c)));
            }
            _ if is_escaped(c) => out.extend(['\\', c]),
            _ => out.push(c),
        }
        if is_split(c, before, next, &chars[..index]) || index + 4 == hash_end {
            out.push_str(NOTHING);
        }
    }
    out
}

/// Whether text that begins or continues here would become a reference.
fn is_split(c: char, before: Option<&char>, next: Option<&char>, all_before: &[char]) -> bool {
    let is_next = |is_one: fn(&char) -> bool| next.is_some_and(is_one);
    match c {
        '@' | '#' | '!' | '$' | '~' | '%' | '^' | '&' => {
            is_next(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '"' | '{' | '$' | '`'))
        }
        // `12:30` and `127.0.0.1:80` are harmless.
        ':' if before.is_some_and(char::is_ascii_digit) && is_next(char::is_ascii_digit) => false,
        ':' => is_next(|c| c.is_alphanumeric() || matches!(c, '/' | '_' | '+' | '-')),
        '-' => {
            let word: String = all_before.iter().rev().take_while(|c| c.is_alphanumeric()).collect();
            word.eq_ignore_ascii_case("hg") && is_next(char::is_ascii_digit)
        }
        _ => false,
    }
}

/// A name, an address, a statement: unchanged, and plain text.
pub(super) fn code(text: &str) -> String {
    let text = shortened(&visible(text), NAME);
    if text.is_empty() {
        return "–".to_owned();
    }
    // A code span ends at a backtick, loses spaces at its ends, and a table splits it at a stroke.
    if text.contains(['`', '|']) || text.ends_with('\\') || text.starts_with(' ') || text.ends_with(' ') {
        return code_html(&text);
    }
    format!("`{text}`")
}

/// The same as [`code`], within tags.
pub(super) fn code_html(text: &str) -> String {
    let text = shortened(&visible(text), NAME);
    let mut out = String::from("<code>");
    for c in text.chars() {
        match c {
            '@' => out.push_str(&format!("&#64;{NOTHING}")),
            _ if c.is_ascii_punctuation() && c != '-' => out.push_str(&format!("&#{};", u32::from(c))),
            _ => out.push(c),
        }
    }
    out.push_str("</code>");
    out
}

pub(super) fn fence(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(visible).collect();
    let longest = lines.iter().flat_map(|line| line.split(|c| c != '`')).map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}\n{}\n{fence}", lines.join("\n"))
}

#[cfg(test)]
pub(super) mod tests;
