//! [`hidden`]: a line of a file without possible secrets.

/// Replaces each character of a secret: so columns stay the same.
const MARK: char = '*';
const SECRETS: [&str; 6] = ["password", "passwd", "passphrase", "secret", "token", "pass"];

/// The text, with a mark for each character of a possible secret: user and password of a URL, even of an invalid one,
/// and parameters and keys with such names. A line with a mistake is shown, for example in a journal, to people who
/// have not written it.
pub(crate) fn hidden(text: &str) -> String {
    let mut is_hidden = vec![false; text.len()];
    let mut hide = |from: usize, to: usize| is_hidden[from.min(to)..to].fill(true);
    for (at, colon) in text.match_indices("://") {
        let (begin, end) = (at + colon.len(), end_of_url(text, at));
        if let Some(rest) = text.get(begin..end) {
            if let Some(of_host) = rest.rfind('@') {
                hide(begin, begin + of_host);
            } else if let Some(port) = no_port(rest) {
                hide(begin + port, end);
            }
        }
    }
    for name in SECRETS {
        for (at, _) in text.match_indices(name) {
            if let Some((from, to)) = value(text, at + name.len()) {
                hide(from, to);
            }
        }
    }
    // In an external account binding of ACME the secret is named `key`, as others are.
    if text.contains("kid") {
        for (at, key) in text.match_indices("key") {
            if let Some((from, to)) = value(text, at + key.len()) {
                hide(from, to);
            }
        }
    }
    text.char_indices().map(|(at, letter)| if is_hidden[at] { MARK } else { letter }).collect()
}

/// End of the string around a URL whose `://` is at this position; the line's end, if it is not closed.
fn end_of_url(text: &str, at: usize) -> usize {
    let of_scheme = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '+' | '-' | '.');
    let before = text[..at].trim_end_matches(of_scheme).chars().next_back();
    let quote = before.filter(|letter| matches!(letter, '"' | '\'' | '`'));
    end_of_string(text, at, quote)
}

fn end_of_string(text: &str, from: usize, quote: Option<char>) -> usize {
    let mut is_escaped = false;
    for (at, letter) in text[from..].char_indices() {
        if Some(letter) == quote && !is_escaped {
            return from + at;
        }
        is_escaped = quote == Some('"') && letter == '\\' && !is_escaped;
    }
    text.len()
}

/// Start of text that stands for a port but is none: a password whose `@` is missing, or comes after a `/`.
fn no_port(rest: &str) -> Option<usize> {
    let host = rest.find(']').filter(|_| rest.starts_with('[')).unwrap_or(0);
    let colon = host + rest[host..].find([':', '/', '?', '#', ','])?;
    let port = rest.get(colon..)?.strip_prefix(':')?;
    let digits = port.trim_start_matches(|letter: char| letter.is_ascii_digit());
    // As `fcgi://host:9000`, `host:5432/name`, and PostgreSQL's `host:1,other:2`.
    let is_port = digits.len() < port.len() && digits.chars().next().is_none_or(|next| matches!(next, '/' | '?' | ','));
    (!is_port).then_some(colon + 1)
}

/// The value of a key or parameter whose name ends at this position.
fn value(text: &str, end: usize) -> Option<(usize, usize)> {
    let rest = text.get(end..)?;
    // A key may be quoted.
    let after = rest.strip_prefix(['"', '\'']).unwrap_or(rest).trim_start().strip_prefix('=')?;
    let from = text.len() - after.trim_start().len();
    match text[from..].chars().next() {
        Some(quote @ ('"' | '\'')) => Some((from + 1, end_of_string(text, from + 1, Some(quote)))),
        // A URL's parameter.
        Some(_) => {
            let length = text[from..].find(['&', '"', '\'', '`', ' ', ',', '}']).unwrap_or(text.len() - from);
            Some((from, from + length))
        }
        None => None,
    }
}

#[cfg(test)]
mod tests;
