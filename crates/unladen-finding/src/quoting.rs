//! Texts as a shell, a unit of systemd, PHP, its settings and TOML take them: [`word`], [`quoted`], [`unit_word`],
//! [`php_text`], [`ini_text`], [`toml_text`], [`toml_lines`].

/// A word as a shell takes it: in quotes only where it needs them.
pub fn word(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/:._-+%,@=".contains(&byte);
    if !text.is_empty() && text.bytes().all(is_plain) { text.to_owned() } else { quoted(text) }
}

/// A word in quotes, in which a shell replaces nothing.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A word of a command as a unit of systemd takes it, where `%` and `$` stand for something, and `\` in quotes, too.
pub(crate) fn unit_word(text: &str) -> String {
    let doubled = text.replace('%', "%%").replace('$', "$$");
    if word(text) == text { doubled } else { format!("'{}'", doubled.replace('\\', r"\\").replace('\'', r"\'")) }
}

/// A text as PHP's source has it, which replaces nothing in it.
pub(crate) fn php_text(text: &str) -> String {
    format!("'{}'", text.replace('\\', r"\\").replace('\'', r"\'"))
}

/// A value as PHP's settings have it: in quotes only where it needs them, between which nothing stands for something
/// else. None: it has a quote itself, or breaks the line, and what follows would be settings of their own.
pub(crate) fn ini_text(text: &str) -> Option<String> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "/:._-+,@".contains(letter);
    match text {
        _ if text.contains(|letter: char| letter == '\'' || letter.is_control()) => None,
        _ if !text.is_empty() && text.chars().all(is_plain) => Some(text.to_owned()),
        _ => Some(format!("'{text}'")),
    }
}

/// A secret that is not shown: the variable of a shell that holds it, which the shell refuses to leave out.
pub(crate) fn secret(name: &str) -> String {
    let letter = |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_uppercase() } else { '_' };
    let name: String = name.chars().map(letter).collect();
    let is_name = name.starts_with(|first: char| first.is_ascii_uppercase());
    format!("\"${{{}:?}}\"", if is_name { name } else { format!("HEADER_{name}") })
}

/// Lines as TOML writes them: one as a text, several as they are. What would have to be escaped there is escaped as a
/// text.
pub(crate) fn toml_lines(lines: &[String]) -> String {
    let plain = lines.len() > 1 && lines.iter().all(|line| !line.contains("'''") && !line.contains(char::is_control));
    let text: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
    if plain { format!("'''\n{text}'''") } else { toml_text(&text) }
}

/// A text as TOML writes it.
pub(crate) fn toml_text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\\' => escaped.push_str("\\\\"),
            '"' => escaped.push_str("\\\""),
            '\n' => escaped.push_str("\\n"),
            control if control.is_control() => escaped.push_str(&format!("\\u{:04X}", u32::from(control))),
            letter => escaped.push(letter),
        }
    }
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What a shell makes of words.
    fn by_shell(words: &str, variables: &[(&str, &str)]) -> std::process::Output {
        let mut shell = std::process::Command::new("/bin/sh");
        shell.arg("-c").arg(format!("printf '%s\\0' {words}")).envs(variables.iter().copied());
        shell.output().unwrap()
    }

    #[test]
    fn toml_takes_no_control_characters() {
        assert_eq!(toml_text("a \\ \"b\"\n\u{1}\u{85}é"), r#""a \\ \"b\"\n\u0001\u0085é""#);
    }

    #[test]
    fn a_unit_takes_a_word_as_it_is() {
        assert_eq!(unit_word("http://a/%20"), "http://a/%%20");
        assert_eq!(unit_word(r"it's 5 $ \ 3 %"), r"'it\'s 5 $$ \\ 3 %%'");
    }

    #[test]
    fn php_takes_a_path_as_it_is() {
        assert_eq!(php_text(r"/srv/it's $x\"), r"'/srv/it\'s $x\\'");
        assert_eq!(ini_text("/srv/a-b.php").as_deref(), Some("/srv/a-b.php"));
        assert_eq!(ini_text("/srv/a;b ${HOME}").as_deref(), Some("'/srv/a;b ${HOME}'"));
        assert_eq!(ini_text("/srv/a\nextension=/home/b/x.so"), None);
        assert_eq!(ini_text("/srv/it's"), None);
    }

    #[test]
    fn a_secret_is_a_variable_that_has_to_be_set() {
        assert_eq!(secret("x-api-key"), "\"${X_API_KEY:?}\"");
        assert_eq!(secret("`1$(reboot)"), "\"${HEADER__1__REBOOT_:?}\"");
        let said = by_shell(&secret("authorization"), &[("AUTHORIZATION", "Bearer $(id) `id` '\"")]);
        assert_eq!(said.stdout, b"Bearer $(id) `id` '\"\0");
        assert!(!by_shell(&secret("authorization-not-set"), &[]).status.success());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn a_shell_takes_every_word_as_it_is(text in "[^\\x00]{0,24}", other in "[ '\"$`\\\\;&|<>!*?~#\n-]{0,12}") {
            let said = by_shell(&format!("{} {}", word(&text), word(&other)), &[]);
            prop_assert_eq!(said.stdout, format!("{text}\0{other}\0").into_bytes());
        }
    }
}
