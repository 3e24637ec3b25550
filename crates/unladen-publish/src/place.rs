//! The principal type is [`Place`]: a finding's file and, if known, line.

use std::fmt;
use std::path::Path;

use unladen_document::{Finding, Function, ProfileDocument};
use unladen_trace::is_kernels;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) file: String,
    /// From 1.
    pub(crate) line: Option<u32>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        self.line.map_or(Ok(()), |line| write!(f, ":{line}"))
    }
}

/// The function that a profile's finding is about, found by its name in the finding's sentence.
pub(crate) fn of_function(finding: &Finding, profile: &ProfileDocument) -> Option<Place> {
    let is_named = |function: &&Function| {
        !function.name.is_empty() && function.file.starts_with('/') && names(&finding.summary, &function.name)
    };
    // Of `Parser` and `Parser::parse`, the longer one.
    let function = profile.functions.iter().filter(is_named).max_by_key(|function| function.name.len())?;
    Some(Place { file: function.file.clone(), line: Some(function.line).filter(|line| *line > 0) })
}

/// The first file of the finding's parts, or the file that its fix changes.
pub(crate) fn of_finding(finding: &Finding) -> Option<Place> {
    // Paths of another host are no files of the reader.
    if finding.host.is_some() {
        return None;
    }
    let items = finding.evidence.items.iter().map(|item| item.name.as_str());
    let file = items.chain(finding.fix.file.as_deref()).find(|name| is_file(name))?;
    Some(Place { file: file.to_owned(), line: None })
}

/// An absolute path that ends like a file's name: remarks do not apply to folders and devices.
fn is_file(name: &str) -> bool {
    let Some((folder, file)) = name.rsplit_once('/') else { return false };
    let is_passing = is_kernels(folder) || Path::new(folder).starts_with("/run");
    name.starts_with('/') && !is_passing && file.contains('.') && !name.contains(char::is_control)
}

/// Whether a sentence contains a name as a whole word.
fn names(sentence: &str, name: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':' || c == '\\');
    sentence.match_indices(name).any(|(at, _)| {
        let (before, after) = (sentence[..at].chars().next_back(), sentence[at + name.len()..].chars().next());
        !is_part(before) && !is_part(after)
    })
}

#[cfg(test)]
mod tests;
