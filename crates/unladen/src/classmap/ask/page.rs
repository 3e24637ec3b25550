//! A script of the application and its request. The principal type is [`Page`].

use std::path::{Path, PathBuf};

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use crate::exit::Failure;

/// Escaped in a request target.
const ESCAPED: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'<').add(b'>').add(b'`');
/// Escaped in its path.
const IN_PATH: &AsciiSet = &ESCAPED.add(b'?').add(b'%');
/// Document roots: such a folder is served rather than its parent.
const SERVED: [&str; 6] = ["public", "web", "www", "htdocs", "docroot", "html"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Page {
    /// The folder that is served.
    pub(super) folder: PathBuf,
    pub(super) target: String,
    /// As typed, for people.
    pub(super) shown: String,
}

impl Page {
    /// Parses `admin/index.php?page=2`, relative to the application's folder. Fails if there is no such script.
    pub(super) fn of(root: &Path, script: &str) -> Result<Self, Failure> {
        let shown = super::super::problems::plain_text(script);
        let (path, query) = script.split_once('?').map_or((script, None), |(path, query)| (path, Some(query)));
        let path = path.trim_start_matches('/');
        let is_plain = !path.split('/').any(|part| matches!(part, "" | "." | ".."));
        // What follows the script is its PATH_INFO.
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        let is_there =
            is_plain && ends.into_iter().any(|end| path[..end].ends_with(".php") && root.join(&path[..end]).is_file());
        if !is_there {
            return Err(Failure::Usage(format!(
                "--ask {shown}: a PHP script below {} was expected, such as --ask index.php or --ask 'index.php?page=2'",
                super::super::problems::plain_text(&root.display().to_string())
            )));
        }
        let (folder, path) = match path.split_once('/') {
            Some((first, rest)) if SERVED.contains(&first) => (root.join(first), rest),
            _ => (root.to_owned(), path),
        };
        let query = query.map_or_else(String::new, |query| format!("?{}", utf8_percent_encode(query, ESCAPED)));
        Ok(Self { folder, target: format!("/{}{query}", utf8_percent_encode(path, IN_PATH)), shown })
    }
}

#[cfg(test)]
mod tests;
