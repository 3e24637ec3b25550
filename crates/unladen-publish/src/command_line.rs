//! [`command_line`]: words as a shell takes them.

/// A command that can be copied.
pub(crate) fn command_line(words: &[String]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    quoted.join(" ")
}

fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_the_words_back() {
        let words = ["weigh", "-H", "Cookie: it's", "", "http://x/?a=1"].map(String::from);
        assert_eq!(command_line(&words), r"weigh -H 'Cookie: it'\''s' '' 'http://x/?a=1'");
    }
}
