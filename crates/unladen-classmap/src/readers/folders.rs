//! Any application, by the names of its files: the principal type is [`Folders`]; [`Survey`] is what its text says of
//! how it finds its classes.
//!
//! The application's own loader is unknown then. So the map has a class only if its name is unique in the application,
//! if its file's name follows from the class's by a rule that several files keep, and if the file only declares.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use bstr::{BStr, BString, ByteSlice as _};

use crate::php::token::{Tokens, What};
use crate::php::{self, Kind};
use crate::readers::{Options, Reader};
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
        "any application, unverified: classes whose file has their name and only declares them"
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
                "the map may then find classes that the application itself would not: compare its pages first"
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
            (self.unnamed, "are in files with other names"),
            (self.busy, "are in files that do more than declare when loaded"),
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
