//! What a store takes: size limits, and labels, which [`read_label`] parses. A store holds data from foreign servers, so
//! nothing in it is unbounded.

/// Maximum size of a document: 64 MiB.
pub const DOCUMENT_BYTES: usize = 64 << 20;
/// Maximum size of evidence before compression: 256 MiB.
pub const EVIDENCE_BYTES: usize = 256 << 20;
/// Maximum labels of a run.
pub const LABELS: usize = 64;
/// Maximum size of a label's key, in bytes.
pub const LABEL_KEY_BYTES: usize = 64;
/// Maximum size of a label's value, in bytes: PostgreSQL's indexes take entries of at most 2,700 bytes.
pub const LABEL_VALUE_BYTES: usize = 256;
/// Maximum size of a target, in bytes.
pub const TARGET_BYTES: usize = 16 << 10;
/// Maximum runs on one page of a list.
pub const PAGE: u32 = 10_000;

/// Maximum size of verb, host, version, way to end and commit, in bytes.
pub(crate) const TEXT_BYTES: usize = 256;

/// Why a label is not valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LabelError {
    #[error("the label `{0}` has no value: write KEY=VALUE, such as release=1.43")]
    NoValue(String),
    #[error(
        "the label's key `{0}` is not a name: write a letter, then letters, digits, `_`, `.`, `-` or `/`, at most \
         {LABEL_KEY_BYTES}"
    )]
    Key(String),
    #[error("the value of the label `{key}` has {bytes} bytes: write at most {LABEL_VALUE_BYTES}")]
    LongValue { key: String, bytes: usize },
    /// The value has line breaks or other control characters.
    #[error("the value of the label `{0}` has a control character (a line break, say): leave it out")]
    ControlCharacter(String),
}

/// Parses a label: the key, `=`, the value, which may be empty and may contain further `=`.
///
/// # Errors
/// If it has no `=`, the key is not a name, or the value is too long or has control characters.
pub fn read_label(text: &str) -> Result<(String, String), LabelError> {
    let (key, value) = text.split_once('=').ok_or_else(|| LabelError::NoValue(shown(text)))?;
    check(key, value)?;
    Ok((key.to_owned(), value.to_owned()))
}

pub(crate) fn check(key: &str, value: &str) -> Result<(), LabelError> {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-/".contains(&byte);
    let named = key.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic()) && key.bytes().all(inner);
    if !named || key.len() > LABEL_KEY_BYTES {
        return Err(LabelError::Key(shown(key)));
    }
    if value.len() > LABEL_VALUE_BYTES {
        return Err(LabelError::LongValue { key: key.to_owned(), bytes: value.len() });
    }
    if value.chars().any(char::is_control) {
        return Err(LabelError::ControlCharacter(key.to_owned()));
    }
    Ok(())
}

/// The part of it that messages repeat.
fn shown(text: &str) -> String {
    text.chars().take(80).flat_map(char::escape_debug).collect()
}

#[cfg(test)]
mod tests;
