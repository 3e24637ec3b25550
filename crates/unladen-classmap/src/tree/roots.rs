//! Where to look for files. The principal type is [`Roots`].

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use bstr::{BStr, BString, ByteSlice, ByteVec};

use crate::Application;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Roots {
    /// Folders to walk, none below another, by path.
    pub(super) folders: Vec<PathBuf>,
    /// Further files: outside of the folders, or without a PHP file name.
    pub(super) files: BTreeSet<BString>,
}

impl Roots {
    pub(super) fn of(application: &Application) -> Self {
        let rules = || application.loaders.iter().flat_map(|loader| &loader.rules);
        let mut paths = BTreeSet::new();
        let mut files = BTreeSet::new();
        for rule in rules() {
            files.extend(rule.listed().map(BStr::to_owned));
            paths.extend(rule.folders().map(Path::to_owned));
        }
        let mut folders: Vec<PathBuf> = Vec::new();
        for path in paths {
            // In component order a folder comes directly before all that is below it.
            if folders.last().is_some_and(|last| path.starts_with(last)) {
                continue;
            }
            if path.is_file() {
                files.insert(BString::from(path.as_os_str().as_bytes()));
            } else {
                folders.push(path);
            }
        }
        files.retain(|file| !(is_php(file) && folders.iter().any(|folder| is_walked(file, folder))));
        Self { folders, files }
    }
}

/// Whether walking `folder` meets `file`: it is below, and nothing on the way is hidden.
fn is_walked(file: &BString, folder: &Path) -> bool {
    is_below(file.as_bstr(), folder) && !file[folder.as_os_str().len()..].contains_str("/.")
}

pub(super) fn joined(folder: &BString, name: &[u8]) -> BString {
    let mut path = Vec::with_capacity(folder.len() + 1 + name.len());
    path.push_str(folder);
    path.push(b'/');
    path.push_str(name);
    path.into()
}

pub(super) fn path_of(bytes: &BString) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}

pub(crate) fn is_below(file: &BStr, path: &Path) -> bool {
    let folder = path.as_os_str().as_bytes();
    file.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/") || folder.ends_with(b"/"))
}

/// Whether a file of that name is always read: what Composer takes for PHP, too.
pub(crate) fn is_php(name: &[u8]) -> bool {
    name.ends_with(b".php") || name.ends_with(b".inc")
}
