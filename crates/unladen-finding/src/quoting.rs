//! Quoting for a shell, a systemd unit, PHP source, PHP settings and TOML: [`word`], [`quoted`], [`unit_word`],
//! [`php_text`], [`ini_text`], [`toml_text`], [`toml_lines`].

/// A shell word, quoted only if necessary.
pub fn word(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/:._-+%,@=".contains(&byte);
    if !text.is_empty() && text.bytes().all(is_plain) { text.to_owned() } else { quoted(text) }
}

pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A command's word in a systemd unit, where `%`, `$` and, in quotes, `\` are special.
pub(crate) fn unit_word(text: &str) -> String {
    let doubled = text.replace('%', "%%").replace('$', "$$");
    if word(text) == text { doubled } else { format!("'{}'", doubled.replace('\\', r"\\").replace('\'', r"\'")) }
}

pub(crate) fn php_text(text: &str) -> String {
    format!("'{}'", text.replace('\\', r"\\").replace('\'', r"\'"))
}

/// A value for PHP settings. `None` with a quote or a line break, after which other settings could follow.
pub(crate) fn ini_text(text: &str) -> Option<String> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "/:._-+,@".contains(letter);
    match text {
        _ if text.contains(|letter: char| letter == '\'' || letter.is_control()) => None,
        _ if !text.is_empty() && text.chars().all(is_plain) => Some(text.to_owned()),
        _ => Some(format!("'{text}'")),
    }
}

/// A secret that is not shown: a shell variable, without which the shell fails.
pub(crate) fn secret(name: &str) -> String {
    format!("\"{}\"", variable(name))
}

/// The same outside of quotes: the words of a command.
pub(crate) fn variable(name: &str) -> String {
    let letter = |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_uppercase() } else { '_' };
    let name: String = name.chars().map(letter).collect();
    let is_name = name.starts_with(|first: char| first.is_ascii_uppercase());
    format!("${{{}:?}}", if is_name { name } else { format!("HEADER_{name}") })
}

/// TOML for lines: a string for one, a multi-line string for several unless it needs escapes.
pub(crate) fn toml_lines(lines: &[String]) -> String {
    let plain = lines.len() > 1 && lines.iter().all(|line| !line.contains("'''") && !line.contains(char::is_control));
    let text: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
    if plain { format!("'''\n{text}'''") } else { toml_text(&text) }
}

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
mod tests;
