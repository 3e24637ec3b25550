//! [`has_placeholder`]: whether a statement gets its values apart from its text. [`without_values`]: a statement as
//! evidence stores it.

use crate::evidence::QueryProtocol;

/// Replaces a value of SQLite that was in the text.
const LEFT_OUT: &str = "…";

/// A statement of this fingerprint, as evidence stores it: without values. Those in texts given to SQLite's library
/// become `…`, so that separate values can still be recognised; all others become `?`.
///
/// ```
/// use unladen_trace::QueryProtocol;
/// use unladen_trace::sql::without_values;
///
/// let (text, fingerprint) = ("select a from t where token = 'x'", "SELECT a FROM t WHERE token = ?");
/// assert_eq!(without_values(text, fingerprint, QueryProtocol::Mysql), fingerprint);
/// assert_eq!(without_values(text, fingerprint, QueryProtocol::Sqlite), "SELECT a FROM t WHERE token = …");
/// ```
pub fn without_values(text: &str, fingerprint: &str, protocol: QueryProtocol) -> String {
    if protocol == QueryProtocol::Sqlite && !has_placeholder(text) {
        return fingerprint.replace('?', LEFT_OUT);
    }
    fingerprint.to_owned()
}

/// Whether values are given apart from the text: `?`, `?1`, `:name`, `@name`, `$name` outside of quotes.
pub fn has_placeholder(text: &str) -> bool {
    let mut quote = None;
    let mut before = ' ';
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), _) if open == letter => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"' | '`') => quote = Some(letter),
            (None, '?') => return true,
            // `::` is a cast.
            (None, ':' | '@' | '$') if before != ':' && letters.peek().is_some_and(|next| next.is_alphanumeric()) => {
                return true;
            }
            (None, _) => {}
        }
        before = letter;
    }
    false
}

#[cfg(test)]
mod tests;
