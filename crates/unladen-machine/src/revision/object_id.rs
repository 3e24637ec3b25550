//! [`object_id`]: the names of git's objects.

/// The id if the text is one: 40 digits of SHA-1, or 64 of SHA-256.
pub(crate) fn object_id(text: &str) -> Option<String> {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    (matches!(text.len(), 40 | 64) && text.bytes().all(is_digit)).then(|| text.to_owned())
}
