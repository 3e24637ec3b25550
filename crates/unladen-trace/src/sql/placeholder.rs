//! [`has_placeholder`]: whether a statement is given its values apart from its text.

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
mod tests {
    use super::*;

    #[test]
    fn values_apart_from_the_text() {
        for text in ["select ?", "select a where b = :b", "where x=@x", "where x = $1", "a = '?' and b = ?2"] {
            assert!(has_placeholder(text), "{text}");
        }
        for text in ["select '?'", "select a::text", "select \":b\"", "it's", "a = '@x' and b = 3"] {
            assert!(!has_placeholder(text), "{text}");
        }
    }
}
