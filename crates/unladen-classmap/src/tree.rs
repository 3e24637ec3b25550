//! The PHP files of an application, and what each declares. The principal type is [`Tree`].

mod read;
mod roots;
mod walk;

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use bstr::{BStr, BString, ByteSlice};

use crate::php::{self, Declaration};
use crate::{Application, Problem};

use roots::Roots;
pub(crate) use roots::is_php;

/// The PHP files below the folders that an application's loaders look into, and those that its lists name.
///
/// Links are followed, and a file goes by the path on which it was reached, as it does for PHP's loaders; a folder that leads back into
/// itself is left out.
#[derive(Debug, Default)]
pub struct Tree {
    files: BTreeMap<BString, SourceFile>,
    /// The folders that were walked, with where they really are.
    folders: Vec<PathBuf>,
    problems: BTreeMap<BString, Problem>,
}

/// What is in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceFile {
    /// In the order of the file.
    pub declarations: Box<[Declaration]>,
    /// What PHP itself could not read, with its line.
    pub broken: Option<(u32, &'static str)>,
}

impl SourceFile {
    /// What it says of `class`, whose case does not matter.
    pub fn declaration_of(&self, class: &BStr) -> Option<&Declaration> {
        self.declarations.iter().find(|declaration| declaration.name.eq_ignore_ascii_case(class))
    }

    fn of(source: &[u8]) -> Self {
        let php::Scan { declarations, broken } = php::scan(source);
        Self { declarations: declarations.into(), broken }
    }
}

impl Tree {
    /// Reads all that the application's loaders may find, with as many threads as there are processors.
    pub fn read(application: &Application) -> Self {
        walk::walk(&Roots::of(application))
    }

    /// The file of that path.
    pub fn file(&self, path: &BStr) -> Option<&SourceFile> {
        self.files.get(path)
    }

    /// What is in a file that need not be of the application; nothing if it cannot be read.
    pub fn look(path: &Path) -> Option<SourceFile> {
        read::open(path)
            .ok()
            .flatten()
            .and_then(|mut file| read::Buffer::default().fill(&mut file).map(SourceFile::of).ok())
    }

    /// All files, in the order of their paths.
    pub fn files(&self) -> impl Iterator<Item = (&BStr, &SourceFile)> {
        self.files.iter().map(|(path, file)| (path.as_bstr(), file))
    }

    /// The files below a folder, or that file, in the order of their paths.
    pub fn below(&self, path: &Path) -> impl Iterator<Item = (&BStr, &SourceFile)> {
        let bytes = path.as_os_str().as_bytes().to_vec();
        let start = BString::from(bytes.clone());
        self.files
            .range(start..)
            .take_while(move |(file, _)| file.starts_with(&bytes))
            .filter(move |(file, _)| is_below(file.as_bstr(), path))
            .map(|(file, seen)| (file.as_bstr(), seen))
    }

    /// The folders that were walked.
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// What could not be read, in the order of the paths.
    pub fn problems(&self) -> impl Iterator<Item = &Problem> {
        self.problems.values()
    }

    /// Reads one file anew, which may have come, changed or gone; whether anything that it declares is otherwise.
    pub fn refresh(&mut self, path: &Path) -> bool {
        let key = BString::from(path.as_os_str().as_bytes());
        self.problems.remove(&key);
        match read::open(path).and_then(|file| {
            file.map(|mut file| read::Buffer::default().fill(&mut file).map(SourceFile::of))
                .transpose()
                .map_err(|error| read::unreadable(path, &error))
        }) {
            Ok(Some(file)) => {
                if self.files.get(&key) == Some(&file) {
                    return false;
                }
                self.complain(&key, &file);
                self.files.insert(key, file);
                true
            }
            Ok(None) => self.files.remove(&key).is_some(),
            Err(problem) => {
                self.problems.insert(key.clone(), problem);
                self.files.remove(&key).is_some()
            }
        }
    }

    /// Tells of a file that PHP cannot read.
    fn complain(&mut self, path: &BString, file: &SourceFile) {
        if let Some((line, what)) = file.broken {
            let problem = Problem::at(path.to_path_lossy(), line, format!("PHP cannot read this file: {what}"));
            self.problems.insert(path.clone(), problem);
        }
    }
}

/// Whether `file` is `path` or below the folder `path`.
pub(crate) fn is_below(file: &BStr, path: &Path) -> bool {
    let folder = path.as_os_str().as_bytes();
    file.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/") || folder.ends_with(b"/"))
}
