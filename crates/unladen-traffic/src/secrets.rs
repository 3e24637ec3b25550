//! The function is [`shareable`]: a target as it may be kept and shown, without other people's secrets.

use std::borrow::Cow;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use crate::token;

/// Keys of a session's id: the page is the same without it.
const SESSIONS: [&[u8]; 6] = [b"sid", b"phpsessid", b"jsessionid", b"sessionid", b"session_id", b"sessid"];

/// Whole keys, and parts of keys, of what only one visitor should know.
const KEYS: [&[u8]; 22] = [
    b"key",
    b"sig",
    b"code",
    b"pass",
    b"pwd",
    b"auth",
    b"otp",
    b"jwt",
    b"pin",
    b"ticket",
    b"hmac",
    b"mail",
    b"user",
    b"username",
    b"login",
    b"phone",
    b"tel",
    b"iban",
    b"sso",
    b"saml",
    b"samlresponse",
    b"hash",
];
const PARTS: [&[u8]; 14] = [
    b"token",
    b"passw",
    b"secret",
    b"session",
    b"sess_",
    b"apikey",
    b"api_key",
    b"api-key",
    b"authkey",
    b"signature",
    b"credential",
    b"nonce",
    b"csrf",
    b"email",
];

/// Any of these, in whatever place: most queries have none.
static WORDS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let others: [&[u8]; 3] = [b"@", b"%40", b";jsessionid"];
    let words = SESSIONS.iter().chain(&KEYS).chain(&PARTS).chain(&others);
    AhoCorasick::builder().kind(Some(AhoCorasickKind::DFA)).ascii_case_insensitive(true).build(words).ok()
});

/// Random texts from this length on may be a key that stands in a path.
const RANDOM: usize = 24;

/// Whether values of a query key may be secrets.
pub(crate) fn is_secret(key: &[u8]) -> bool {
    if hides_letters(key) {
        return true;
    }
    if WORDS.as_ref().is_some_and(|words| !words.is_match(key)) {
        return false;
    }
    let lower = &mut [0; 32];
    let Some(lower) = lower.get_mut(..key.len()) else { return true };
    lower.copy_from_slice(key);
    lower.make_ascii_lowercase();
    let lower = &lower[..];
    SESSIONS.contains(&lower)
        || KEYS.contains(&lower)
        || PARTS.iter().any(|part| memchr::memmem::find(lower, part).is_some())
}

/// Whether a letter is written as an escape, which nobody has a reason for: `%74oken`.
fn hides_letters(text: &[u8]) -> bool {
    memchr::memchr_iter(b'%', text).any(|at| {
        let escape = (text.get(at + 1), text.get(at + 2).map(u8::to_ascii_lowercase));
        matches!(escape, (Some(b'4' | b'6'), Some(b'1'..=b'9' | b'a'..=b'f')) | (Some(b'5' | b'7'), Some(b'0'..=b'9' | b'a')))
    })
}

/// The target without a session's id; `None` if it has another secret.
pub(crate) fn shareable(target: &[u8]) -> Option<Cow<'_, [u8]>> {
    let separators = |byte: &u8| matches!(byte, b'/' | b';' | b'?' | b'&' | b'=');
    if target.len() > RANDOM && target.split(separators).any(|part| token::is_random(part, RANDOM)) {
        return None;
    }
    if WORDS.as_ref().is_some_and(|words| !words.is_match(target)) && !hides_letters(target) {
        return Some(Cow::Borrowed(target));
    }
    let (path, query) = target.split_at(memchr::memchr(b'?', target).unwrap_or(target.len()));
    let session = memchr::memchr(b';', path).filter(|at| path[*at..].to_ascii_lowercase().starts_with(b";jsessionid"));
    let named = &path[..session.unwrap_or(path.len())];
    if session.is_none() && query.is_empty() {
        return Some(Cow::Borrowed(target));
    }
    let mut kept = named.to_vec();
    let mut is_same = session.is_none();
    for pair in query.split(|byte| matches!(byte, b'?' | b'&' | b';')).skip(1) {
        let (key, value) = pair.split_at(memchr::memchr(b'=', pair).unwrap_or(pair.len()));
        if SESSIONS.iter().any(|known| known.eq_ignore_ascii_case(key)) {
            is_same = false;
            continue;
        }
        let has_address = memchr::memchr(b'@', value).is_some() || memchr::memmem::find(value, b"%40").is_some();
        if is_secret(key) && value.len() > 1 || has_address {
            return None;
        }
        kept.push(if kept.len() == named.len() { b'?' } else { b'&' });
        kept.extend_from_slice(pair);
    }
    Some(if is_same { Cow::Borrowed(target) } else { Cow::Owned(kept) })
}

#[cfg(test)]
mod tests;
