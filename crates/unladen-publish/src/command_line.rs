//! [`command_line`]: words quoted for a shell.

pub(crate) fn command_line(words: &[String]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| unladen_finding::shell_word(word)).collect();
    quoted.join(" ")
}

#[cfg(test)]
mod tests;
