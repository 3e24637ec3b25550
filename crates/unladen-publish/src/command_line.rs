//! [`command_line`]: words as a shell takes them.

/// A command that can be copied.
pub(crate) fn command_line(words: &[String]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| unladen_finding::shell_word(word)).collect();
    quoted.join(" ")
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
