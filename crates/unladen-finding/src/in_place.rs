//! The principal type is [`InPlace`]: the change of one line of a file that holds others, and the way back.

use crate::quoting::word;

/// A command that changes one line of a shared file, and its inverse; each does nothing to an unexpected line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InPlace {
    pub there: String,
    pub back: String,
}

impl InPlace {
    /// Changes the value in a settings line. `None` if too little of the line is known, or it has that value already.
    pub(crate) fn of_setting(file: &str, number: u32, line: &str, value: &str) -> Option<Self> {
        let is_plain = |text: &str| !text.contains(|c: char| c.is_control() || c == '\u{fffd}');
        let known = file.starts_with('/') && number > 0 && [file, line, value].into_iter().all(is_plain);
        let new = with_value(line, value).filter(|new| known && new != line)?;
        let command = |from: &str, to: &str| {
            format!(
                "sed -i {} {}",
                word(&format!("{number}s/^{}[[:space:]]*$/{}/", wanted(from), written(to))),
                word(file)
            )
        };
        Some(Self { there: command(line, &new), back: command(&new, line) })
    }
}

/// Keeps blanks and the comment. A php-fpm flag is on or off: for any other value it becomes a value.
fn with_value(line: &str, value: &str) -> Option<String> {
    let (key, rest) = line.split_once('=')?;
    let old = rest.trim_start();
    let blanks = &rest[..rest.len() - old.len()];
    let end = match old.strip_prefix('"') {
        Some(quoted) => quoted.find('"')? + 2,
        None => old.find(';').map_or(old, |end| &old[..end]).trim_end().len(),
    };
    let comment = &old[end..];
    let switch = match value {
        "1" | "on" => Some("on"),
        "0" | "off" => Some("off"),
        _ => None,
    };
    let is_flag = key.trim_start().starts_with("php_flag") || key.trim_start().starts_with("php_admin_flag");
    Some(match (is_flag, switch) {
        (false, _) => format!("{key}={blanks}{value}{comment}"),
        (true, Some(switch)) => format!("{key}={blanks}{switch}{comment}"),
        (true, None) => format!("{}={blanks}{value}{comment}", key.replacen("_flag", "_value", 1)),
    })
}

/// A line as a sed pattern. A single blank matches one; several, or leading ones, match any number.
fn wanted(line: &str) -> String {
    let mut pattern = String::with_capacity(line.len() + 16);
    let mut rest = line;
    while let Some(letter) = rest.chars().next() {
        let after = rest.trim_start_matches(' ');
        match rest.len() - after.len() {
            0 => {
                if r"\/.*[^$".contains(letter) {
                    pattern.push('\\');
                }
                pattern.push(letter);
                rest = &rest[letter.len_utf8()..];
                continue;
            }
            1 if !pattern.is_empty() => pattern.push(' '),
            _ => pattern.push_str("[[:blank:]]*"),
        }
        rest = after;
    }
    pattern
}

/// A line as a sed replacement.
fn written(line: &str) -> String {
    let mut text = String::with_capacity(line.len() + 8);
    for letter in line.chars() {
        if r"\/&".contains(letter) {
            text.push('\\');
        }
        text.push(letter);
    }
    text
}

#[cfg(test)]
mod tests;
