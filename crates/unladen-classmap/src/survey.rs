//! How an application that no reader knows finds its classes, as far as its text says. The principal type is
//! [`Survey`].

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use bstr::ByteSlice as _;

use crate::php::token::{Tokens, What};
use crate::read_whole;
use crate::readers::folders::{Found, whole_tree};

/// What stands in an application's files.
#[derive(Debug, Default)]
pub struct Survey {
    /// How many PHP files there are.
    pub files: usize,
    /// How many classes they declare.
    pub classes: usize,
    /// Where loaders are registered, each with its line, the nearest to the folder first.
    pub loaders: Vec<(PathBuf, u32)>,
    /// How many times a file is included by hand.
    pub includes: usize,
    /// How many classes the reader `folders` would have in its map.
    pub named: usize,
    /// The rules by which files are named after their classes, the most frequent first, each with how many follow it.
    pub rules: Vec<(String, usize)>,
    /// Classes, beside those, for a list to ask for.
    pub names: Vec<bstr::BString>,
}

impl Survey {
    /// Reads the files below the folder.
    pub fn of(root: &Path) -> Self {
        let tree = whole_tree(root);
        let mut survey = Self { files: tree.files().count(), ..Self::default() };
        for (path, file) in tree.files() {
            survey.names.extend(file.declarations.iter().map(|one| one.name.clone()));
            let path = Path::new(OsStr::from_bytes(path));
            if let Ok(source) = read_whole(path) {
                survey.count(path, &source);
            }
        }
        survey.names.sort();
        survey.names.dedup();
        survey.classes = survey.names.len();
        // The application's own are nearer than those of what it brings.
        survey.loaders.sort_by_key(|(file, line)| (file.components().count(), file.clone(), *line));
        let found = Found::of(&tree);
        survey.named = found.classes.len();
        survey.rules = found.rules.into_iter().collect();
        survey.rules.sort_by_key(|(_, many)| std::cmp::Reverse(*many));
        survey
    }

    fn count(&mut self, path: &Path, source: &[u8]) {
        let mut tokens = Tokens::new(source);
        let mut before = What::Mark(b";");
        loop {
            let token = tokens.next();
            let is_member = matches!(before, What::Mark(b"->" | b"?->" | b"::"))
                || matches!(before, What::Name(word) if word.eq_ignore_ascii_case(b"function"));
            match &token.what {
                What::End | What::Broken(_) => return,
                What::Name(word) if !is_member => {
                    match word.to_ascii_lowercase().trim_start_with(|sign| sign == '\\') {
                        b"spl_autoload_register" => self.loaders.push((path.to_owned(), token.line)),
                        b"require" | b"require_once" | b"include" | b"include_once" => self.includes += 1,
                        _ => {}
                    }
                }
                _ => {}
            }
            before = token.what;
        }
    }
}

#[cfg(test)]
mod tests;
