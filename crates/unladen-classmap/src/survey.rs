//! How an application without a reader finds its classes, as far as its text says. The principal type is [`Survey`].

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use bstr::ByteSlice as _;

use crate::php::token::{Tokens, What};
use crate::read_whole;
use crate::readers::folders::{Found, whole_tree};

/// What the files of an application show.
#[derive(Debug, Default)]
pub struct Survey {
    pub files: usize,
    pub classes: usize,
    /// Where loaders are registered, with the line, the nearest to the folder first.
    pub loaders: Vec<(PathBuf, u32)>,
    /// Includes by hand.
    pub includes: usize,
    /// Classes that the reader `folders` would have in its map.
    pub named: usize,
    /// Rules by which files are named after their classes, the most frequent first, with counts.
    pub rules: Vec<(String, usize)>,
    /// Further classes, for a list to ask for.
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
        // The application's own loaders are nearer than those of its dependencies.
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
