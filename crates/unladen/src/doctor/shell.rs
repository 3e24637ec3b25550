//! Commands as a shell takes them: [`as_root`], [`quoted`].

/// What shows what root sees.
pub(crate) const AS_ROOT: &str = "sudo unladen doctor";

/// Whether this is root, as far as users go.
pub(crate) fn is_root() -> bool {
    nix::unistd::geteuid().is_root()
}

/// With `sudo`, unless this is root.
pub(crate) fn as_root(command: &str) -> String {
    if is_root() { command.to_owned() } else { format!("sudo {command}") }
}

/// A word that a shell leaves as it is.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-:=+,@%".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_one_word() {
        assert_eq!(quoted("/var/lib/runs.sqlite"), "/var/lib/runs.sqlite");
        assert_eq!(quoted("/a b/$(x)"), "'/a b/$(x)'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
