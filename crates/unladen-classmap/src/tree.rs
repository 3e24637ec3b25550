//! The PHP files of an application, and what each declares. The principal type is [`Tree`].

mod roots;
mod source_file;
mod walk;

pub(crate) use roots::{is_below, is_php};
pub(crate) use source_file::OWN_CLASS;
pub use source_file::SourceFile;

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use bstr::{BStr, BString, ByteSlice};

use crate::{Application, Problem};
use roots::Roots;
use walk::Found;

/// The PHP files below the loaders' folders, and those that lists name.
///
/// Links are followed, and a file keeps the path by which it was reached, as for PHP's loaders; a folder that leads
/// back into itself is left out.
#[derive(Debug, Default)]
pub struct Tree {
    files: BTreeMap<BString, SourceFile>,
    /// Walked folders, with their real paths.
    folders: Vec<PathBuf>,
    /// Files named by lists, existing or not.
    listed: BTreeSet<BString>,
    problems: BTreeMap<BString, Problem>,
}

impl Tree {
    /// Reads all that the application's loaders may find, with a thread per processor.
    pub fn read(application: &Application) -> Self {
        let roots = Roots::of(application);
        Self::of(walk::walk(&roots), roots.files)
    }

    fn of(found: Found, listed: BTreeSet<BString>) -> Self {
        let Found { files, folders, problems, .. } = found;
        let keyed = |problem: Problem| (BString::from(problem.path.as_os_str().as_bytes()), problem);
        let problems = problems.into_iter().map(keyed).collect();
        let mut tree = Self { files: BTreeMap::new(), folders, listed, problems };
        for (path, file) in &files {
            tree.complain(path, file);
        }
        tree.files = files.into_iter().collect();
        tree
    }

    /// The file of that path.
    pub fn file(&self, path: &BStr) -> Option<&SourceFile> {
        self.files.get(path)
    }

    /// Reads any file, also outside of the application; `None` if it cannot be read.
    pub fn look(path: &Path) -> Option<SourceFile> {
        SourceFile::read(path).ok().flatten()
    }

    /// Whether two paths lead to one file. Without links, two paths are two files.
    pub(crate) fn is_same_file(&self, one: &BString, other: &BString) -> bool {
        one == other
            || !(self.is_plain(one) && self.is_plain(other)) && real(one).is_some_and(|one| real(other) == Some(one))
    }

    /// The path without links: the same for all paths to one file.
    pub(crate) fn without_links(&self, path: &BString) -> BString {
        let real = if self.is_plain(path) { None } else { real(path) };
        real.map_or_else(|| path.clone(), |real| real.into_os_string().into_encoded_bytes().into())
    }

    fn is_plain(&self, path: &BString) -> bool {
        self.files.get(path).is_some_and(|file| !file.is_linked)
    }

    /// All files, by path.
    pub fn files(&self) -> impl Iterator<Item = (&BStr, &SourceFile)> {
        self.files.iter().map(|(path, file)| (path.as_bstr(), file))
    }

    /// The files below a folder, or that file, by path.
    pub fn below(&self, path: &Path) -> impl Iterator<Item = (&BStr, &SourceFile)> {
        let bytes = path.as_os_str().as_bytes().to_vec();
        let start = BString::from(bytes.clone());
        self.files
            .range(start..)
            .take_while(move |(file, _)| file.starts_with(&bytes))
            .filter(move |(file, _)| is_below(file.as_bstr(), path))
            .map(|(file, seen)| (file.as_bstr(), seen))
    }

    pub(crate) fn linked_files(&self) -> impl Iterator<Item = &BStr> {
        self.files.iter().filter(|(_, file)| file.is_linked).map(|(path, _)| path.as_bstr())
    }

    /// The folders that were walked.
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// What could not be read, by path.
    pub fn problems(&self) -> impl Iterator<Item = &Problem> {
        self.problems.values()
    }

    /// Rereads one file of the application; returns whether its declarations changed.
    pub fn refresh(&mut self, path: &Path) -> bool {
        let key = BString::from(path.as_os_str().as_bytes());
        let is_walked =
            path.parent().is_some_and(|folder| self.folders.binary_search_by(|one| one.as_path().cmp(folder)).is_ok());
        if !is_walked && !self.files.contains_key(&key) && !self.listed.contains(&key) {
            return false;
        }
        self.problems.remove(&key);
        match SourceFile::read(path) {
            Ok(Some(file)) => {
                self.complain(&key, &file);
                let before = self.files.insert(key, file.clone());
                before.is_none_or(|before| before.declarations != file.declarations || before.broken != file.broken)
            }
            Ok(None) => self.files.remove(&key).is_some(),
            Err(problem) => {
                self.problems.insert(key.clone(), problem);
                self.files.remove(&key);
                true
            }
        }
    }

    fn complain(&mut self, path: &BString, file: &SourceFile) {
        if let Some((line, what)) = file.broken {
            let problem = Problem::at(path.to_path_lossy(), line, format!("PHP cannot read this file: {what}"));
            self.problems.insert(path.clone(), problem);
        }
    }
}

fn real(path: &BString) -> Option<PathBuf> {
    std::fs::canonicalize(path.to_path().ok()?).ok()
}
