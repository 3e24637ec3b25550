//! [`is_maximum`]: whether a query asks for a `max` alone.
//!
//! Only certain cases count: with a count, a hash or a concatenation, the answer is a version of more than the latest
//! row, and the maximum of a counter is as good as the counter.

/// Functions that leave a maximum a maximum.
const WRAPPERS: [&str; 26] = [
    "max",
    "coalesce",
    "ifnull",
    "nvl",
    "greatest",
    "extract",
    "date_part",
    "date_trunc",
    "unix_timestamp",
    "to_char",
    "date_format",
    "strftime",
    "datetime",
    "timezone",
    "unixepoch",
    "cast",
    "convert",
    "timestamp",
    "round",
    "floor",
    "trunc",
    "abs",
    "concat",
    "numeric",
    "char",
    "varchar",
];
/// Parts of names of columns and tables that count changes; their maximum does show the latest change.
const COUNTERS: [&str; 9] = ["version", "revision", "count", "seq", "serial", "generation", "lsn", "txid", "xmin"];
/// Words that contain such a part, but count nothing.
const OTHERS: [&str; 3] = ["account", "discount", "country"];

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    /// A name or a word, in lower case.
    Word(String),
    Mark(char),
    /// A number, or a string in single quotes.
    Constant,
}

/// Whether a query's first column is just a maximum, perhaps converted, of a column that counts nothing. Only that
/// column is the answer.
pub(super) fn is_maximum(query: &str) -> bool {
    let tokens = tokens(query);
    // A query that begins otherwise (`with`) may say anything.
    let [Token::Word(first), rest @ ..] = tokens.as_slice() else { return false };
    if first != "select" {
        return false;
    }
    let (column, from) = first_column(rest);
    is_maximum_of(column, from)
}

/// The tokens up to the first comma or the end of the list, and those behind the list.
fn first_column(tokens: &[Token]) -> (&[Token], &[Token]) {
    let mut depth = 0_usize;
    let mut column = None;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Mark('(') => depth += 1,
            Token::Mark(')') => depth = depth.saturating_sub(1),
            Token::Mark(',') if depth == 0 => _ = column.get_or_insert(at),
            Token::Word(word) if depth == 0 && word == "from" => {
                let (list, from) = tokens.split_at(at);
                return (&list[..column.unwrap_or(at)], from);
            }
            _ => {}
        }
    }
    (&tokens[..column.unwrap_or(tokens.len())], &[])
}

fn is_maximum_of(column: &[Token], from: &[Token]) -> bool {
    let calls = || {
        column.iter().zip(column.iter().skip(1)).filter_map(|(name, next)| match (name, next) {
            (Token::Word(name), Token::Mark('(')) => Some(name.as_str()),
            _ => None,
        })
    };
    let is_window = column.iter().any(
        |token| matches!(token, Token::Word(word) if matches!(word.as_str(), "over" | "filter" | "select" | "case")),
    );
    let is_grouped = from
        .iter()
        .any(|token| matches!(token, Token::Word(word) if matches!(word.as_str(), "group" | "union" | "having")));
    if is_window || is_grouped || !calls().any(|name| name == "max") || !calls().all(|name| WRAPPERS.contains(&name)) {
        return false;
    }
    // With several arguments, `max` is SQLite's function for the larger of two.
    let mut rest = column;
    while let Some(at) = rest.iter().position(|token| matches!(token, Token::Word(word) if word == "max")) {
        let arguments = inside(&rest[at + 1..]);
        if arguments.is_empty() || arguments.contains(&Token::Mark(',')) || arguments.iter().any(is_counter) {
            return false;
        }
        rest = &rest[at + 1 + arguments.len()..];
    }
    !from.iter().any(is_counter)
}

fn inside(tokens: &[Token]) -> &[Token] {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Mark('(') => depth += 1,
            Token::Mark(')') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return tokens.get(1..at).unwrap_or_default();
                }
            }
            _ if depth == 0 => return &[],
            _ => {}
        }
    }
    &[]
}

fn is_counter(token: &Token) -> bool {
    let Token::Word(word) = token else { return false };
    let word = OTHERS.iter().fold(word.clone(), |word, other| word.replace(other, ""));
    matches!(word.as_str(), "n" | "v" | "nr" | "no" | "number" | "rev" | "ver")
        || COUNTERS.iter().any(|part| word.contains(part))
}

/// Without comments and white space. Unterminated text is one token.
fn tokens(query: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = query;
    while let Some(first) = rest.chars().next() {
        let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
        let length = match first {
            '-' if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |at| at + 2),
            '\'' | '"' | '`' => {
                let end = rest[1..].find(first).map_or(rest.len(), |at| at + 2);
                let text = rest.get(1..end.saturating_sub(1)).unwrap_or_default();
                // Only text in single quotes is no name; MariaDB's double quotes are rare.
                tokens.push(if first == '\'' { Token::Constant } else { Token::Word(text.to_lowercase()) });
                end
            }
            letter if is_word(letter) => {
                let end = rest.find(|letter| !is_word(letter)).unwrap_or(rest.len());
                let word = rest[..end].to_lowercase();
                let is_name = word.starts_with(|letter: char| letter.is_alphabetic() || letter == '_');
                tokens.push(if is_name { Token::Word(word) } else { Token::Constant });
                end
            }
            letter => {
                if !letter.is_whitespace() {
                    tokens.push(Token::Mark(letter));
                }
                letter.len_utf8()
            }
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    tokens
}

#[cfg(test)]
mod tests;
