//! Claims that a class is in a file. The principal type is [`Claims`].

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use bstr::{BStr, BString, ByteSlice};

use crate::php::Kind;
use crate::readers::dokuwiki;
use crate::{Application, Rule, SourceFile, Tree};

/// What an application's loaders would answer, from the lists and folders in memory.
#[derive(Debug)]
pub struct Claims<'a> {
    application: &'a Application,
    tree: &'a Tree,
    indices: Vec<Vec<Index<'a>>>,
}

/// A loader's rule that leads from a class to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim<'a> {
    pub loader: usize,
    pub rule: usize,
    pub path: BString,
    pub by: Option<(&'a BStr, &'a Path)>,
    pub outcome: Resolution,
}

/// What a loader finds at the file that it is led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resolution {
    Declared,
    /// The file exists, but its text does not declare the class.
    Undeclared,
    /// A list names a file that is missing or cannot be read.
    Gone,
}

impl<'a> Claims<'a> {
    /// For an application whose files have been read.
    pub fn new(application: &'a Application, tree: &'a Tree) -> Self {
        let index = |rule: &'a Rule| Index::of(rule, tree);
        let indices = application.loaders.iter().map(|loader| loader.rules.iter().map(index).collect()).collect();
        Self { application, tree, indices }
    }

    /// The first claim of a class: where PHP would look first.
    pub fn first(&self, class: &BStr) -> Option<Claim<'a>> {
        let mut first = None;
        self.each(class, &mut |claim| {
            first = Some(claim);
            false
        });
        first
    }

    /// All claims of a class, in the order in which PHP would follow them.
    pub fn all(&self, class: &BStr) -> Vec<Claim<'a>> {
        let mut all = Vec::new();
        self.each(class, &mut |claim| {
            all.push(claim);
            true
        });
        all
    }

    /// Describes a claim: `Composer (vendor/): listed in …/autoload_classmap.php`.
    pub fn words(&self, claim: &Claim<'_>) -> String {
        let Some(loader) = self.application.loaders.get(claim.loader) else { return String::new() };
        let way = match (loader.rules.get(claim.rule), claim.by) {
            (Some(Rule::List { origin, .. }), _) => format!("listed in {}", origin.display()),
            (Some(Rule::Folders { origin, .. }), _) => {
                format!("declared in a folder of `classmap` in {}", origin.display())
            }
            (Some(Rule::DokuWiki { .. }), Some((what, folder))) => format!("{what}, in {}", folder.display()),
            (Some(rule), Some((prefix, folder))) => {
                let standard = if matches!(rule, Rule::Psr4 { .. }) { "PSR-4" } else { "PSR-0" };
                format!("{standard}, `{prefix}` is in {}", folder.display())
            }
            _ => String::new(),
        };
        format!("{}: {way}", loader.name)
    }

    /// Where PSR-4 or PSR-0 would look for a class of `file`, if the file and the class match one of their prefixes.
    pub fn expected(&self, class: &BStr, file: &BStr) -> Option<PathBuf> {
        let mut expected = None;
        for rule in self.application.loaders.iter().flat_map(|loader| &loader.rules) {
            let (Rule::Psr4 { prefixes, .. } | Rule::Psr0 { prefixes, .. }) = rule else { continue };
            let is_psr4 = matches!(rule, Rule::Psr4 { .. });
            for (prefix, folders) in prefixes.iter().filter(|(prefix, _)| class.starts_with(prefix)) {
                for folder in folders.iter().filter(|folder| crate::tree::is_below(file, folder)) {
                    let path = if is_psr4 { psr4(folder, &class[prefix.len()..]) } else { psr0(folder, class) };
                    let path = path.to_path_lossy().into_owned();
                    let nearer = |other: &(usize, PathBuf)| other.0 < prefix.len();
                    if expected.as_ref().is_none_or(nearer) {
                        expected = Some((prefix.len(), path));
                    }
                }
            }
        }
        expected.map(|(_, path)| path)
    }

    /// Calls `take` for each claim until it returns `false`.
    fn each(&self, class: &BStr, take: &mut dyn FnMut(Claim<'a>) -> bool) {
        for (loader, indices) in self.indices.iter().enumerate() {
            for (rule, index) in indices.iter().enumerate() {
                let mut taken = |path: BString, by: Option<(&'a BStr, &'a Path)>| {
                    let outcome = match self.tree.file(path.as_bstr()) {
                        Some(file) if file.declaration_of(class).is_some() => Resolution::Declared,
                        Some(_) => Resolution::Undeclared,
                        None => Resolution::Gone,
                    };
                    // PSR-4 and PSR-0 skip files that do not exist.
                    (by.is_some() && outcome == Resolution::Gone) || take(Claim { loader, rule, path, by, outcome })
                };
                if !index.each(class, &mut taken) {
                    return;
                }
            }
        }
    }
}

/// A loader's rule, indexed for look-up.
#[derive(Debug)]
enum Index<'a> {
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
    fn of(rule: &'a Rule, tree: &'a Tree) -> Self {
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
    fn each(&self, class: &BStr, take: &mut dyn FnMut(BString, Option<(&'a BStr, &'a Path)>) -> bool) -> bool {
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
fn psr4(folder: &Path, rest: &[u8]) -> BString {
    let mut path = BString::from(folder.as_os_str().as_bytes());
    path.push(b'/');
    path.extend(rest.iter().map(|byte| if *byte == b'\\' { b'/' } else { *byte }));
    path.extend_from_slice(b".php");
    path
}

/// The whole name, with `_` as a separator except in the namespace.
fn psr0(folder: &Path, class: &[u8]) -> BString {
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
