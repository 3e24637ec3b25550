//! The principal type is [`Variables`]: names for values only known when an experiment is run, such as the port that a
//! subject has chosen. The command under the key `variables` prints them, `NAME=value` a line; `${NAME}` in any text of
//! the file stands for the value. Other names are left as they are, for instance for the shell.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use unladen_load::Cancel;
use unladen_toml::{Bad, Document, Problem};

use crate::error::CommandFault;
use crate::read::ExperimentProblem;
use crate::shell::Shell;

const TIME: Duration = Duration::from_secs(60);

#[derive(Debug, Default)]
pub(crate) struct Variables(BTreeMap<String, String>);

/// The command that prints the variables, with its place; `None` without one, or if the text is no TOML.
pub(crate) fn command(text: &str) -> Option<(String, std::ops::Range<usize>)> {
    let (document, bads) = Document::parse(text);
    let value = document.root().get("variables").filter(|_| bads.is_empty())?;
    // A value of another type is reported by the file's reader.
    value.as_text().map(|command| (command.to_owned(), value.span()))
}

impl Variables {
    pub(crate) fn ask(command: &str, folder: &Path) -> Result<Self, Box<CommandFault>> {
        let mut shell = Command::new("/bin/sh");
        shell.arg("-c").arg(command);
        let output = Shell::new(folder).execute(shell, command, TIME, &Cancel::new())?;
        let bytes = output.whole().map_err(|source| CommandFault::Start { command: command.to_owned(), source })?;
        Ok(Self::read(&String::from_utf8_lossy(&bytes)))
    }

    fn read(output: &str) -> Self {
        let variable = |line: &str| {
            let (name, value) = line.trim_end().split_once('=')?;
            is_name(name).then(|| (name.to_owned(), value.to_owned()))
        };
        Self(output.lines().filter_map(variable).collect())
    }

    pub(crate) fn expand(&self, document: &mut Document<'_>) {
        if !self.0.is_empty() {
            document.replace_texts("variables", |text| self.expanded(text));
        }
    }

    /// `None` if nothing changes.
    fn expanded(&self, text: &str) -> Option<String> {
        let mut expanded = String::new();
        let mut rest = text;
        while let Some(place) = rest.find("${") {
            let (before, after) = rest.split_at(place);
            expanded.push_str(before);
            let known = after[2..].split_once('}').and_then(|(name, after)| Some((self.0.get(name)?, after)));
            match known {
                Some((value, after)) => {
                    expanded.push_str(value);
                    rest = after;
                }
                None => {
                    expanded.push_str("${");
                    rest = &after[2..];
                }
            }
        }
        expanded.push_str(rest);
        (expanded != text).then_some(expanded)
    }
}

pub(crate) fn failed(fault: Box<CommandFault>, place: std::ops::Range<usize>) -> Bad {
    Problem::other(ExperimentProblem::Variables { fault }).at(place)
}

fn is_name(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|other| other.is_ascii_alphanumeric() || other == '_')
}

#[cfg(test)]
mod tests;
