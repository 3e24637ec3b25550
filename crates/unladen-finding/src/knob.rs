//! The principal type is [`Knob`]: what switches a fix on and off, so that `unladen prove` can measure its effect.
//! [`InPlace`] is the change of one line of a file that holds others.

use crate::quoting::{quoted, variable, word};

/// What switches a fix on and off; see `docs/reference/experiments.md`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Knob {
    pub name: String,
    /// Files of its own: they hold these lines while it is on, and their earlier content while it is off.
    pub files: Vec<Part>,
    pub commands: Option<(String, String)>,
    pub service: Option<KnobService>,
    /// What must exist beforehand, and does nothing by itself.
    pub once: Vec<Once>,
    pub site: Option<KnobSite>,
    /// Header (name and value) without which a request shows no difference.
    pub header: Option<(String, String)>,
    /// What changes in the responses, in the words of `expect_change`; empty if only the work behind them changes.
    pub changes: Vec<String>,
}

/// A service that reads the files of a knob.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnobService {
    pub name: String,
    pub restart: Option<String>,
    /// It is the application's own process: a command for fresh processes makes it read its settings too.
    pub is_application: bool,
}

/// A command to run if its result does not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Once {
    pub makes: String,
    pub command: String,
    /// Command that removes it; `None` if it is a file.
    pub undo: Option<String>,
}

/// `unladen serve` in front of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnobSite {
    pub lines: Vec<String>,
    /// Port on 127.0.0.1.
    pub port: u16,
    pub url: String,
    pub host: String,
}

impl Knob {
    pub(crate) fn of_file(name: &str, file: &str, lines: &[String], service: Option<KnobService>) -> Self {
        let part = Part { file: file.to_owned(), lines: lines.to_vec(), group: None };
        Self { name: name.to_owned(), files: vec![part], service, ..Self::default() }
    }

    /// The same on another host, by commands for a shell there; a shell variable has the command that leads to it. `None`
    /// for a site, which listens here, and where something has to be made beforehand, which no command would take back.
    pub(crate) fn on_host(self, host: &str) -> Option<Self> {
        if self.site.is_some() || !self.once.is_empty() {
            return None;
        }
        let there =
            |script: &str| format!("printf '%s\\n' {} | {} sh", quoted(script), variable(&format!("host_{host}")));
        let (mut on, mut off) = (Vec::new(), Vec::new());
        for part in &self.files {
            let file = word(&part.file);
            let lines: String = part.lines.iter().map(|line| format!(" {}", word(line))).collect();
            let begin = format!("file={file}; lines=$(printf '%s\\n'{lines})");
            let told = word(&format!("{} is there already, with other lines", part.file));
            on.push(format!(
                "{begin}; if test -e \"$file\" && test \"$(cat \"$file\")\" != \"$lines\"; then echo {told} >&2; exit 1; fi; \
                 printf '%s\\n' \"$lines\" >\"$file\""
            ));
            off.push(format!("{begin}; if test \"$(cat \"$file\" 2>/dev/null)\" = \"$lines\"; then rm \"$file\"; fi"));
        }
        if let Some((change, back)) = self.commands {
            on.push(change);
            off.push(back);
        }
        if on.is_empty() {
            return None;
        }
        let all = |parts: &[String]| there(&format!("set -e; {}", parts.join("; ")));
        let restart = |service: KnobService| KnobService { restart: service.restart.as_deref().map(there), ..service };
        Some(Self {
            commands: Some((all(&on), all(&off))),
            files: Vec::new(),
            service: self.service.map(restart),
            ..self
        })
    }
}

/// Lines to copy into a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    pub file: String,
    pub lines: Vec<String>,
    /// Group with this file, if not that of the fix.
    pub group: Option<usize>,
}

/// A command that changes one line of a shared file, and its inverse; each does nothing to an unexpected line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InPlace {
    pub there: String,
    /// Fails if the line was an unexpected one.
    pub is_there: String,
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
        let is_there = format!(
            "{{ sed -n {number}p {} | grep -qxF -e {} || {{ echo {} >&2; false; }}; }}",
            word(file),
            word(&new),
            word(&format!("line {number} of {file} is another one now: weigh again"))
        );
        Some(Self { there: command(line, &new), is_there, back: command(&new, line) })
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
