//! Rules, indexed for look-up. The principal type is [`Index`].

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use bstr::{BStr, BString, ByteSlice};

use crate::php::Kind;
use crate::readers::dokuwiki;
use crate::{Rule, SourceFile, Tree};

#[derive(Debug)]
pub(super) enum Index<'a> {
    List(HashMap<&'a BStr, &'a BStr>),
    /// By lower-case name, all files in order.
    Folders(HashMap<BString, Vec<&'a BStr>>),
    Psr4(HashMap<&'a BStr, &'a [PathBuf]>),
    Psr0(&'a [(BString, Vec<PathBuf>)]),
    DokuWiki {
        plugins: &'a Path,
        templates: &'a Path,
        types: &'a [BString],
    },
}

impl<'a> Index<'a> {
    pub(super) fn of(rule: &'a Rule, tree: &'a Tree) -> Self {
        match rule {
            Rule::List { classes, .. } => {
                let mut list = HashMap::with_capacity(classes.len());
                for (class, file) in classes {
                    list.entry(class.as_bstr()).or_insert(file.as_bstr());
                }
                Self::List(list)
            }
            Rule::Folders { paths, excluded, .. } => {
                let mut declared: HashMap<BString, Vec<&'a BStr>> = HashMap::new();
                let mut seen = HashSet::new();
                for (file, source) in paths.iter().flat_map(|path| in_order(tree, path)) {
                    // One folder may be below another.
                    if !seen.insert(file) || excluded.excludes(Path::new(OsStr::from_bytes(file))) {
                        continue;
                    }
                    for declaration in source.declarations.iter().filter(|one| one.kind != Kind::Alias) {
                        let files = declared.entry(declaration.name.to_ascii_lowercase().into()).or_default();
                        if files.last() != Some(&file) {
                            files.push(file);
                        }
                    }
                }
                Self::Folders(declared)
            }
            Rule::Psr4 { prefixes, .. } => {
                Self::Psr4(prefixes.iter().map(|(prefix, folders)| (prefix.as_bstr(), folders.as_slice())).collect())
            }
            Rule::Psr0 { prefixes, .. } => Self::Psr0(prefixes),
            Rule::DokuWiki { plugins, templates, types, .. } => Self::DokuWiki { plugins, templates, types },
        }
    }

    /// Calls `take` for each file, with the prefix and folder that led there; returns whether more are wanted.
    pub(super) fn each(
        &self,
        class: &BStr,
        take: &mut dyn FnMut(BString, Option<(&'a BStr, &'a Path)>) -> bool,
    ) -> bool {
        match self {
            Self::List(list) => list.get(class).is_none_or(|file| take((*file).to_owned(), None)),
            Self::Folders(declared) => declared
                .get(class.to_ascii_lowercase().as_bstr())
                .is_none_or(|files| files.iter().all(|file| take((*file).to_owned(), None))),
            Self::Psr4(prefixes) => {
                let ends = class.rfind_iter(b"\\").map(|at| at + 1).chain([0]);
                for end in ends {
                    let Some((prefix, folders)) = prefixes.get_key_value(class[..end].as_bstr()) else { continue };
                    for folder in *folders {
                        if !take(psr4(folder, &class[end..]), Some((*prefix, folder))) {
                            return false;
                        }
                    }
                }
                true
            }
            Self::DokuWiki { plugins, templates, types } => dokuwiki::files(class, types).into_iter().all(|file| {
                let folder = if file.is_template { *templates } else { *plugins };
                let mut path = BString::from(folder.as_os_str().as_bytes());
                path.push(b'/');
                path.extend_from_slice(&file.below);
                take(path, Some((BStr::new(file.what), folder)))
            }),
            Self::Psr0(prefixes) => {
                prefixes.iter().filter(|(prefix, _)| class.starts_with(prefix)).all(|(prefix, folders)| {
                    folders.iter().all(|folder| take(psr0(folder, class), Some((prefix.as_bstr(), folder))))
                })
            }
        }
    }
}

/// Files folder by folder: those of `lib/` come before those of `lib-old/`.
fn in_order<'a>(tree: &'a Tree, folder: &Path) -> Vec<(&'a BStr, &'a SourceFile)> {
    let mut files: Vec<_> = tree.below(folder).collect();
    let key = |path: &'a BStr| path.iter().map(|byte| if *byte == b'/' { 0 } else { *byte });
    files.sort_by(|(one, _), (other, _)| key(one).cmp(key(other)));
    files
}

/// `rest` is what follows the prefix.
pub(super) fn psr4(folder: &Path, rest: &[u8]) -> BString {
    let mut path = BString::from(folder.as_os_str().as_bytes());
    path.push(b'/');
    path.extend(rest.iter().map(|byte| if *byte == b'\\' { b'/' } else { *byte }));
    path.extend_from_slice(b".php");
    path
}

/// The whole name, with `_` as a separator except in the namespace.
pub(super) fn psr0(folder: &Path, class: &[u8]) -> BString {
    let name = class.rfind_byte(b'\\').map_or(0, |at| at + 1);
    let mut path = BString::from(folder.as_os_str().as_bytes());
    path.push(b'/');
    path.extend(class.iter().enumerate().map(|(at, byte)| match byte {
        b'\\' => b'/',
        b'_' if at >= name => b'/',
        byte => *byte,
    }));
    path.extend_from_slice(b".php");
    path
}
