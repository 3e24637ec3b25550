//! Any application, by the names of its files: the principal type is [`Folders`].
//!
//! The application's own loader is unknown then. So the map has a class only if its name is unique in the application,
//! if its file's name follows from the class's by a rule that several files keep, and if the file only declares.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use bstr::{BStr, BString, ByteSlice as _};

use super::{Options, Reader};
use crate::php::{self, Kind};
use crate::{Application, Excluded, Loader, Problem, Rule, Tree, read_whole};

/// Least number of classes that follow a rule.
const FOLLOWED: usize = 3;

#[derive(Debug)]
pub(super) struct Folders;

impl Reader for Folders {
    fn name(&self) -> &'static str {
        "folders"
    }

    fn about(&self) -> &'static str {
        "any application, on trust: classes whose file is named after them, and does nothing but declare"
    }

    fn knows(&self, _: &Path) -> bool {
        false
    }

    fn read(&self, root: &Path, _: &Options) -> Result<Application, Problem> {
        let tree = whole_tree(root);
        let found = Found::of(&tree);
        let mut problems: Vec<Problem> = tree.problems().cloned().collect();
        problems.extend(found.told(root));
        let rule = Rule::List { origin: root.to_owned(), classes: found.classes };
        let loader = Loader { name: "the names of its files".to_owned(), rules: vec![rule], ..Loader::default() };
        Ok(Application {
            loaders: vec![loader],
            inputs: Vec::new(),
            problems,
            switch_on: vec![
                "after the application has registered its own loader: require '…/unladen-classmap.php';".to_owned(),
                "a class that the application itself would not find can be found then: compare its pages first"
                    .to_owned(),
            ],
        })
    }
}

pub(crate) fn whole_tree(root: &Path) -> Tree {
    let rule = Rule::Folders { origin: root.to_owned(), paths: vec![root.to_owned()], excluded: Excluded::default() };
    let loader = Loader { rules: vec![rule], ..Loader::default() };
    Tree::read(&Application { loaders: vec![loader], ..Application::default() })
}

#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) classes: Vec<(BString, BString)>,
    pub(crate) rules: BTreeMap<String, usize>,
    several: usize,
    unnamed: usize,
    busy: usize,
}

impl Found {
    pub(crate) fn of(tree: &Tree) -> Self {
        let mut declared: HashMap<BString, usize> = HashMap::new();
        let classes = || {
            tree.files().flat_map(|(path, file)| {
                file.declarations.iter().filter(|one| one.kind != Kind::Alias).map(move |one| (path, &one.name))
            })
        };
        for (_, class) in classes() {
            *declared.entry(class.to_ascii_lowercase().into()).or_default() += 1;
        }
        let mut found = Self::default();
        let mut named: Vec<(String, &BStr, &BString)> = Vec::new();
        for (path, class) in classes() {
            if declared.get(class.to_ascii_lowercase().as_bstr()) != Some(&1) {
                found.several += 1;
            } else if let Some(rule) = rule(class, path) {
                *found.rules.entry(rule.clone()).or_default() += 1;
                named.push((rule, path, class));
            } else {
                found.unnamed += 1;
            }
        }
        for (rule, path, class) in named {
            if found.rules.get(&rule).is_none_or(|many| *many < FOLLOWED) {
                found.unnamed += 1;
            } else if only_declares(path) {
                found.classes.push((class.clone(), path.to_owned()));
            } else {
                found.busy += 1;
            }
        }
        found.rules.retain(|_, many| *many >= FOLLOWED);
        found
    }

    fn told(&self, root: &Path) -> Option<Problem> {
        let kinds = [
            (self.several, "have a name that several files declare"),
            (self.unnamed, "are in files that are not named after them"),
            (self.busy, "are in files that do more than declare as they are loaded"),
        ];
        let left: Vec<String> =
            kinds.iter().filter(|(many, _)| *many > 0).map(|(many, why)| format!("{many} {why}")).collect();
        (!left.is_empty())
            .then(|| Problem::of(root, format!("classes left to the application's own loader: {}", left.join(", "))))
    }
}

/// Prefixes of file names before a class's name.
const BEFORE: [&str; 4] = ["class.", "class_", "class-", ""];
const BEHIND: [&str; 5] = [".class.php", ".class.inc", ".inc.php", ".php", ".inc"];

fn rule(class: &BString, path: &BStr) -> Option<String> {
    let name = class.rsplit_once_str("\\").map_or(class.as_slice(), |(_, name)| name);
    let file = path.rsplit_once_str("/").map_or(path.as_bytes(), |(_, file)| file);
    let lower = name.to_ascii_lowercase();
    let dashed = lower.replace("_", "-");
    let last = name.rsplit_once_str("_").map_or(&b""[..], |(_, last)| last);
    let spellings = [("Name", name), ("name", &lower), ("the-name", &dashed), ("Last part", last)];
    for (before, behind) in BEFORE.iter().flat_map(|before| BEHIND.map(|behind| (before, behind))) {
        let stem = file.strip_prefix(before.as_bytes()).and_then(|rest| rest.strip_suffix(behind.as_bytes()));
        let spelled =
            stem.and_then(|stem| spellings.iter().find(|(_, spelling)| *spelling == stem && !stem.is_empty()));
        if let Some((spelled, _)) = spelled {
            return Some(format!("{before}{spelled}{behind}"));
        }
    }
    None
}

fn only_declares(path: &BStr) -> bool {
    read_whole(Path::new(OsStr::from_bytes(path))).is_ok_and(|source| php::only_declares(&source))
}

#[cfg(test)]
mod tests;
