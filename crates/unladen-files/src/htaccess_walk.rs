//! [`Root::each_htaccess`]: every `.htaccess` below a root, to check its setup.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use crate::htaccess::{Access, Denial, Htaccess};
use crate::private_names::Rules;
use crate::root::{Folder, Root};

const MOST_ENTRIES: usize = 200_000;
const MOST_SEEN: usize = 200;

/// Every `.htaccess` below a root that has access rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HtaccessWalk {
    /// Those of higher folders first.
    pub seen: Vec<HtaccessSeen>,
    /// Whether the walk is incomplete: not all folders were looked at, or too many have such a file.
    pub is_cut: bool,
}

/// An `.htaccess` and its access rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HtaccessSeen {
    pub file: PathBuf,
    /// Its folder beneath the root: `/data/`; `None` if only links lead there.
    pub path: Option<Vec<u8>>,
    /// Refusal of all files in its folder and beneath.
    pub folder: Option<Denial>,
    /// Regular expressions of names, and the refusals of such files.
    pub files: Vec<(String, Denial)>,
    /// Number of its sections that admit files despite the folder's rules.
    pub granted: usize,
    /// Lines that may refuse something but are not understood, with their beginnings.
    pub unclear: Vec<(usize, String)>,
    /// Whether the settings open all files of its folder.
    pub is_open: bool,
}

impl Root {
    /// Looks for each `.htaccess` below the root and in folders that links may lead to. Links are not followed, and
    /// folders whose files are never sent are skipped.
    pub fn each_htaccess(&self, rules: &Rules) -> HtaccessWalk {
        let mut walk = HtaccessWalk::default();
        let Some(names) = &rules.private else { return walk };
        let folder = self.now();
        let places = std::iter::once((&**folder, true)).chain(self.links().iter().map(|folder| (folder, false)));
        let mut left = MOST_ENTRIES;
        for (folder, is_root) in places {
            let mut next = VecDeque::from([Vec::new()]);
            while let Some(path) = next.pop_front() {
                if let Some(seen) = folder.htaccess(&path).and_then(|file| HtaccessSeen::new(folder, &path, &file)) {
                    if walk.seen.len() >= MOST_SEEN {
                        walk.is_cut = true;
                        return walk;
                    }
                    let within = if path.is_empty() { b"/".to_vec() } else { [b"/", &*path, b"/"].concat() };
                    let is_open = names.allows(&[within.get(1..).unwrap_or_default(), b"\0"].concat());
                    walk.seen.push(HtaccessSeen { path: is_root.then_some(within), is_open, ..seen });
                }
                let Ok(entries) = std::fs::read_dir(folder.real.join(OsStr::from_bytes(&path))) else { continue };
                for entry in entries.filter_map(Result::ok) {
                    if left == 0 {
                        walk.is_cut = true;
                        return walk;
                    }
                    left -= 1;
                    let name = entry.file_name().into_vec();
                    let is_sent = rules.hidden || name.first() != Some(&b'.') || name == b".well-known";
                    if is_sent && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                        let separator: &[u8] = if path.is_empty() { b"" } else { b"/" };
                        next.push_back([&*path, separator, &*name].concat());
                    }
                }
            }
        }
        walk
    }
}

impl HtaccessSeen {
    /// `None` if it refuses nothing.
    fn new(folder: &Folder, path: &[u8], read: &Htaccess) -> Option<Self> {
        let seen = Self {
            file: folder.real.join(OsStr::from_bytes(path)).join(".htaccess"),
            path: None,
            folder: match read.of_folder() {
                Some(Access::Denied(denial)) => Some(*denial),
                _ => None,
            },
            files: read.denied_files().map(|(names, denial)| (names.to_owned(), denial)).collect(),
            granted: read.granted_files(),
            unclear: read.unclear().to_vec(),
            is_open: false,
        };
        (seen.folder.is_some() || !seen.files.is_empty() || !seen.unclear.is_empty()).then_some(seen)
    }
}

#[cfg(test)]
mod tests;
