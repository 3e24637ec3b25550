//! The principal type is [`Place`]: the file, and perhaps the line, that a finding is about.

use std::fmt;
use std::path::Path;

use unladen_document::{Finding, Function, ProfileDocument};
use unladen_trace::is_kernels;

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// An absolute path.
    pub(crate) file: String,
    /// From 1; none where it is not known.
    pub(crate) line: Option<u32>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        self.line.map_or(Ok(()), |line| write!(f, ":{line}"))
    }
}

/// The function that a finding of a profile is about: rules name it in their sentence.
pub(crate) fn of_function(finding: &Finding, profile: &ProfileDocument) -> Option<Place> {
    let is_named = |function: &&Function| {
        !function.name.is_empty() && function.file.starts_with('/') && names(&finding.summary, &function.name)
    };
    // Of `Parser` and `Parser::parse` it is the longer one.
    let function = profile.functions.iter().filter(is_named).max_by_key(|function| function.name.len())?;
    Some(Place { file: function.file.clone(), line: Some(function.line).filter(|line| *line > 0) })
}

/// The first file among what a finding is made of, else the file that its fix changes.
pub(crate) fn of_finding(finding: &Finding) -> Option<Place> {
    // A path of another host is no file of whoever reads this.
    if finding.host.is_some() {
        return None;
    }
    let items = finding.evidence.items.iter().map(|item| item.name.as_str());
    let file = items.chain(finding.fix.file.as_deref()).find(|name| is_file(name))?;
    Some(Place { file: file.to_owned(), line: None })
}

/// An absolute path with a name that ends as files' names do: folders and devices are no place for a remark.
fn is_file(name: &str) -> bool {
    let Some((folder, file)) = name.rsplit_once('/') else { return false };
    let is_passing = is_kernels(folder) || Path::new(folder).starts_with("/run");
    name.starts_with('/') && !is_passing && file.contains('.') && !name.contains(char::is_control)
}

/// Whether a sentence holds a name as a whole word.
fn names(sentence: &str, name: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':' || c == '\\');
    sentence.match_indices(name).any(|(at, _)| {
        let (before, after) = (sentence[..at].chars().next_back(), sentence[at + name.len()..].chars().next());
        !is_part(before) && !is_part(after)
    })
}

#[cfg(test)]
mod tests {
    use unladen_document::{Evidence, EvidenceItem, Fix};

    use super::*;

    fn finding(items: &[&str], fix: Option<&str>) -> Finding {
        let items = items.iter().map(|name| EvidenceItem { name: (*name).into(), per_request: 1.0 }).collect();
        let fix = Fix { file: fix.map(Into::into), ..Fix::default() };
        Finding { evidence: Evidence { items, ..Evidence::default() }, fix, ..Finding::default() }
    }

    #[test]
    fn the_first_file_is_the_place() {
        let place = |items: &[&str], fix| of_finding(&finding(items, fix)).map(|place| place.file);
        assert_eq!(
            place(&["includes/libs", "/srv/app/a.php"], Some("/etc/php.ini")).as_deref(),
            Some("/srv/app/a.php")
        );
        assert_eq!(place(&["/proc/self/stat.x", "/srv/app"], Some("/etc/php.ini")).as_deref(), Some("/etc/php.ini"));
        assert_eq!(
            place(&["/dev/fd/x.y", "/run/php/a.sock", "/developers/app/a.php"], None).as_deref(),
            Some("/developers/app/a.php"),
            "a folder that only begins like one of the kernel's"
        );
        assert_eq!(place(&["SELECT 1 / 2.0"], Some("a drop-in of the service")), None);
        let there = Finding { host: Some("db".into()), ..finding(&["/srv/app/a.php"], None) };
        assert_eq!(of_finding(&there), None, "on another host");
    }

    #[test]
    fn the_function_of_the_sentence_is_the_place() {
        let function = |name: &str, line| Function {
            name: name.into(),
            file: format!("/srv/{line}.php"),
            line,
            ..Function::default()
        };
        let profile = ProfileDocument {
            functions: vec![function("Parser", 1), function("Parser::parse", 51), function("parse", 3)],
            ..ProfileDocument::default()
        };
        let summary = "200 calls per request of Parser::parse take 19.1 ± 0.4 % of a request".to_owned();
        let place = of_function(&Finding { summary, ..Finding::default() }, &profile);
        assert_eq!(place, Some(Place { file: "/srv/51.php".into(), line: Some(51) }));
    }
}
