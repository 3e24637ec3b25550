//! [`Root::each_htaccess`]: every `.htaccess` below a root, for those who set the root up.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use crate::htaccess::{Access, Denial, Htaccess};
use crate::root::{Folder, Root};
use crate::rules::Rules;

/// Files and folders that are looked at.
const MOST_ENTRIES: usize = 200_000;
/// Files that are told of.
const MOST_SEEN: usize = 200;

/// Every `.htaccess` below a root that says something of access.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HtaccessWalk {
    /// Those of folders with few folders above them first.
    pub seen: Vec<HtaccessSeen>,
    /// Whether there are more: not all folders were looked at, or too many have such a file.
    pub is_cut: bool,
}

/// One `.htaccess`, and what it says of access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HtaccessSeen {
    /// The file.
    pub file: PathBuf,
    /// Its folder beneath the root: `/data/`; none: only links in the root lead there.
    pub path: Option<Vec<u8>>,
    /// What refuses all files of its folder, and beneath it.
    pub folder: Option<Denial>,
    /// Regular expressions of names, and what refuses such files.
    pub files: Vec<(String, Denial)>,
    /// How many of its sections let files through that its folder's rules refuse.
    pub granted: usize,
    /// Lines that may refuse something, and are not understood, with how they begin.
    pub unclear: Vec<(usize, String)>,
    /// Whether the settings open all files of its folder.
    pub is_open: bool,
}

// === impl Root ===

impl Root {
    /// Looks for each `.htaccess` in it, and in the folders that links may lead to. Links are not followed. Folders are
    /// not looked into whose files are never sent.
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

// === impl HtaccessSeen ===

impl HtaccessSeen {
    /// None: it refuses nothing.
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
mod tests {
    use std::fs;

    use super::*;
    use crate::private_names::PrivateNames;

    #[test]
    fn each_htaccess_below_a_root_that_refuses_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let put = |path: &str, text: &str| {
            let path = folder.path().join("root").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        put(".htaccess", "Options -Indexes");
        put("data/.htaccess", "Require all denied");
        put("data/open/.htaccess", "Deny from all");
        put("a/b/.htaccess", "Require ip 10.0.0.1\n<Files *.tpl>\nDeny from all\n</Files>\n<Limit GET>");
        put(".git/.htaccess", "Deny from all");
        put("../other/lib/.htaccess", "Deny from all");
        std::os::unix::fs::symlink("../other", folder.path().join("root/link")).unwrap();

        let other = folder.path().join("other");
        let root = Root::open(&folder.path().join("root")).unwrap().with_links([&*other]).unwrap();
        let rules = Rules { private: Some(PrivateNames::except(["/data/open/*"])), ..Rules::default() };
        let walk = root.each_htaccess(&rules);
        assert!(!walk.is_cut);
        let mut seen: Vec<_> = walk.seen.iter().map(|one| (one.path.as_deref(), one.folder, one.is_open)).collect();
        seen.sort_by_key(|one| one.0);
        assert_eq!(
            seen,
            [
                (None, Some(Denial::All(1)), false),
                (Some(&b"/a/b/"[..]), Some(Denial::Some(1)), false),
                (Some(b"/data/"), Some(Denial::All(1)), false),
                (Some(b"/data/open/"), Some(Denial::All(1)), true),
            ]
        );
        let own = walk.seen.iter().find(|one| one.path.as_deref() == Some(b"/a/b/")).unwrap();
        assert_eq!(own.files, [("^.*\\.tpl$".to_owned(), Denial::All(3))]);
        assert_eq!(own.unclear, [(5, "<Limit GET>".to_owned())]);
        assert_eq!(root.each_htaccess(&Rules { private: None, ..Rules::default() }), HtaccessWalk::default());
    }

    #[test]
    fn a_root_of_many_such_files_is_told_in_part() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..=MOST_SEEN {
            let path = folder.path().join(number.to_string());
            fs::create_dir(&path).unwrap();
            fs::write(path.join(".htaccess"), "Deny from all").unwrap();
        }
        let walk = Root::open(folder.path()).unwrap().each_htaccess(&Rules::default());
        assert_eq!((walk.seen.len(), walk.is_cut), (MOST_SEEN, true));
    }
}
