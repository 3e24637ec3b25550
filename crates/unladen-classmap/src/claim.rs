//! Claims that a class is in a file. The principal type is [`Claims`].

mod index;

use std::path::{Path, PathBuf};

use bstr::{BStr, BString, ByteSlice};

use crate::{Application, Rule, Tree};
use index::{Index, psr0, psr4};

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
