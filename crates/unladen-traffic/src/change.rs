//! The function is [`looks_like_a_change`]: which GET requests nobody should repeat.
//!
//! GET is to change nothing (RFC 9110, section 9.2.1), but applications end sessions, delete and unsubscribe by it. The
//! list says too much rather than too little: a URL that is left out costs a sample, and one that is sent costs data.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use crate::target::Target;

/// What a name says, by its reason; without separators.
const CHANGES: [(&str, &str); 9] = [
    ("ends or begins a session", "logout logoff signout userlogout signoff impersonate loginas"),
    ("deletes", "delete remove destroy trash erase undelete deletecookies del drop uninstall"),
    ("changes a subscription", "unsubscribe optout subscribe optin watch unwatch follow unfollow"),
    ("confirms", "confirm verify activate deactivate validate approve accept reject confirmemail"),
    ("takes back", "rollback revert restore undo mcrundo mcrrestore"),
    (
        "writes",
        "save submit update upload insert publish unpublish protect unprotect markpatrolled move merge lock unlock block \
         unblock enable disable approval mark markread addtocart removeitem checkout vote like unlike rate reply",
    ),
    ("sends", "send sendmail resend notify invite emailuser"),
    ("runs a task", "cron wpcron doingwpcron runjobs reindex rebuild backup import indexer"),
    ("empties or resets", "purge flush clear reset clearcache install upgrade migrate setup"),
];

/// Keys whose values name an action.
const ACTION_KEYS: [&[u8]; 16] = [
    b"action",
    b"do",
    b"mode",
    b"cmd",
    b"op",
    b"task",
    b"act",
    b"method",
    b"operation",
    b"command",
    b"func",
    b"event",
    b"a",
    b"call",
    b"wc-ajax",
    b"mark",
];

/// Keys of what a form or link carries only if it is to change something.
const FORM_KEYS: [&[u8]; 12] = [
    b"_wpnonce",
    b"wpEditToken",
    b"csrf_token",
    b"csrf",
    b"_csrf",
    b"csrfmiddlewaretoken",
    b"authenticity_token",
    b"form_key",
    b"form_token",
    b"sectok",
    b"_token",
    b"token",
];

/// DokuWiki locks a page for whoever opens its form; others only show it.
const LOCKING: [&[u8]; 2] = [b"do=edit", b"do=recover"];

const BY_LOCK: &str = "locks a page";
const BY_FORM: &str = "carries the token of a form";

/// Any of these words, in whatever place: most targets have none.
static WORDS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let words = CHANGES.iter().flat_map(|(_, words)| words.split_whitespace().map(str::as_bytes));
    // What is written apart is found by its end.
    let apart: [&[u8]; 10] = [b"-out", b"_out", b"-off", b"_off", b"-in", b"_in", b"-cart", b"_cart", b"-as", b"_as"];
    AhoCorasick::builder()
        .kind(Some(AhoCorasickKind::DFA))
        .ascii_case_insensitive(true)
        .build(words.chain(apart).chain(FORM_KEYS).chain(LOCKING))
        .ok()
});

/// Why a target (path and query) should not be requested just to see what it costs; `None` if nothing speaks against.
///
/// ```
/// use unladen_traffic::looks_like_a_change;
///
/// assert_eq!(looks_like_a_change("/index.php?title=User_logout&action=history"), None);
/// assert_eq!(looks_like_a_change("/ucp.php?mode=logout"), Some("ends or begins a session"));
/// assert_eq!(looks_like_a_change("/newsletter/opt-out/17"), Some("changes a subscription"));
/// assert_eq!(looks_like_a_change("/index.php?action=edit&token=x"), Some("carries the token of a form"));
/// ```
pub fn looks_like_a_change(target: &str) -> Option<&'static str> {
    // Most have none of the words, nor any escape that could hide one:
    // those of letters beyond ASCII hide none.
    let is_letter = |at: usize| matches!(target.as_bytes().get(at + 1), Some(b'2'..=b'7'));
    let is_escaped = memchr::memchr_iter(b'%', target.as_bytes()).any(is_letter);
    if !is_escaped && WORDS.as_ref().is_some_and(|words| !words.is_match(target)) {
        return None;
    }
    let decoded = if is_escaped { decoded(target.as_bytes()) } else { target.as_bytes().to_vec() };
    let target = Target::parse(&decoded);
    // A page's title may be anything: `/wiki/How_to_delete_a_file`.
    let is_title =
        |at: usize| at > 0 && matches!(target.segments()[at - 1], b"wiki" | b"index.php" | b"doku.php" | b"t");
    for (at, segment) in target.segments().iter().enumerate() {
        if let Some(reason) = reason(segment).filter(|_| !is_title(at)) {
            return Some(reason);
        }
        if let Some(reason) = special_page(segment) {
            return Some(reason);
        }
    }
    for (key, value) in target.query() {
        if FORM_KEYS.contains(key) {
            return Some(BY_FORM);
        }
        if LOCKING
            .iter()
            .any(|pair| pair.strip_prefix(*key).is_some_and(|rest| rest.strip_prefix(b"=") == Some(*value)))
        {
            return Some(BY_LOCK);
        }
        let of_value = if ACTION_KEYS.contains(key) { reason(value) } else { special_page(value) };
        if let Some(reason) = of_value.or_else(|| reason(key)) {
            return Some(reason);
        }
    }
    None
}

/// `Special:UserLogout` of MediaWiki, in whichever language the namespace is.
fn special_page(text: &[u8]) -> Option<&'static str> {
    let (space, page) = text.split_at(memchr::memchr(b':', text)?);
    let end = memchr::memchr(b'/', page).unwrap_or(page.len());
    (space.starts_with(b"Spe") || space.starts_with("Spé".as_bytes())).then(|| reason(&page[1..end]))?
}

/// Reason of a name of up to three words, or of one of them at its beginning or end.
fn reason(name: &[u8]) -> Option<&'static str> {
    let name = name.strip_suffix(b".php").unwrap_or(name);
    if name.len() > 40 || name.is_empty() {
        return None;
    }
    let lower = name.to_ascii_lowercase();
    let is_separator = |byte: &u8| !byte.is_ascii_alphanumeric();
    let whole: Vec<u8> = lower.iter().copied().filter(|byte| !is_separator(byte)).collect();
    let words: Vec<&[u8]> = lower.split(is_separator).filter(|word| !word.is_empty()).collect();
    let ends = [words.first(), words.last()].into_iter().flatten().filter(|_| words.len() <= 3);
    let mut named = ends.copied().chain([&whole[..]]);
    named.find_map(|word| {
        let (reason, _) =
            CHANGES.iter().find(|(_, words)| words.split_whitespace().any(|known| known.as_bytes() == word))?;
        Some(*reason)
    })
}

/// Percent-decodes: `%6cogout` is a logout.
fn decoded(text: &[u8]) -> Vec<u8> {
    let digit = |byte: Option<&u8>| char::from(*byte?).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        match (byte, digit(text.get(at + 1)), digit(text.get(at + 2))) {
            (b'%', Some(high), Some(low)) => {
                out.push(high << 4 | low);
                at += 3;
            }
            _ => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests;
