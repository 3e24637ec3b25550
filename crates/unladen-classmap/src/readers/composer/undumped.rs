//! What `composer dump-autoload` would make the loader do. The principal function is [`rules`];
//! [`sorted`] has Composer's order of packages: dependencies come first.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use bstr::BString;

use crate::excluded::Excluded;
use crate::readers::composer::package::Package;
use crate::readers::composer::project::Project;
use crate::readers::path::{glob, lexical};
use crate::{Problem, Rule};

/// The rules of the loader, without the list that `-o` would add.
pub(super) fn rules(project: &mut Project) -> Vec<Rule> {
    let origin = project.folder.join("composer.json");
    let mut problems = Vec::new();
    let all: Vec<&Package> = [&project.root].into_iter().chain(&project.packages).collect();
    let mut rules = Vec::new();
    // Composer always lists it.
    let versions = project.vendor.join("composer/InstalledVersions.php");
    if versions.is_file() {
        let path = versions.into_os_string().into_encoded_bytes();
        rules.push(Rule::List {
            origin: origin.clone(),
            classes: vec![("Composer\\InstalledVersions".into(), path.into())],
        });
    }
    let in_order: Vec<&Package> = sorted(&project.packages.iter().collect::<Vec<_>>());
    let mut excluded = Excluded::default();
    for package in in_order.iter().copied().chain([&project.root]) {
        for pattern in &package.autoload.excluded {
            excluded.add(package.base(), targeted(package, pattern).as_bytes());
        }
    }
    let mut paths: Vec<PathBuf> = Vec::new();
    for package in [&project.root].into_iter().chain(in_order.iter().copied().rev()) {
        for path in &package.autoload.classmap {
            let found = folders(package, &targeted(package, path));
            if found.is_empty() {
                let what = format!("`classmap` names `{path}`, which does not exist; Composer stops without it");
                problems.push(Problem::of(origin_of(package), what));
            }
            paths.extend(found);
        }
    }
    if !paths.is_empty() {
        rules.push(Rule::Folders { origin: origin.clone(), paths, excluded });
    }
    let psr4 = prefixes(&all, &mut problems, true);
    let psr0 = prefixes(&all, &mut problems, false);
    problems.extend(missing(&project.root));
    if !psr4.is_empty() {
        rules.push(Rule::Psr4 { origin: origin.clone(), prefixes: psr4 });
    }
    if !psr0.is_empty() {
        rules.push(Rule::Psr0 { origin, prefixes: psr0 });
    }
    project.problems.append(&mut problems);
    rules
}

/// Prefixes in reverse order, as Composer sorts them, with the folders of all packages.
fn prefixes(packages: &[&Package], problems: &mut Vec<Problem>, psr4: bool) -> Vec<(BString, Vec<PathBuf>)> {
    let mut all: Vec<(BString, Vec<PathBuf>)> = Vec::new();
    for package in packages {
        for (prefix, folders) in if psr4 { &package.autoload.psr4 } else { &package.autoload.psr0 } {
            if psr4 && !prefix.is_empty() && !prefix.ends_with('\\') {
                let what = format!(
                    "the prefix `{prefix}` of `psr-4` does not end with `\\`, so Composer refuses it: write \
                     `{prefix}\\\\`"
                );
                problems.push(Problem::of(origin_of(package), what).hiding());
                continue;
            }
            let folders = folders.iter().map(|folder| from(package, folder));
            match all.iter_mut().find(|(known, _)| *known == prefix.as_bytes()) {
                Some((_, known)) => known.extend(folders),
                None => all.push((prefix.as_bytes().into(), folders.collect())),
            }
        }
    }
    all.sort_by(|(one, _), (other, _)| other.cmp(one));
    all
}

/// Folders of prefixes that do not exist, if the package's author is the one to fix them.
pub(super) fn missing(package: &Package) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (key, prefixes) in [("psr-4", &package.autoload.psr4), ("psr-0", &package.autoload.psr0)] {
        for (prefix, folders) in prefixes {
            for folder in folders.iter().map(|folder| from(package, folder)).filter(|folder| !folder.is_dir()) {
                let what = format!("`{key}` has `{prefix}` in {}, which does not exist", folder.display());
                problems.push(Problem::of(origin_of(package), what));
            }
        }
    }
    problems
}

/// A package's path. Only the project's own may be absolute.
pub(super) fn from(package: &Package, path: &str) -> PathBuf {
    lexical(package.base(), own(package, path).as_bytes())
}

fn own<'a>(package: &Package, path: &'a str) -> &'a str {
    if package.is_root { path } else { path.trim_start_matches('/') }
}

fn folders(package: &Package, path: &str) -> Vec<PathBuf> {
    let plain = from(package, path);
    if plain.exists() {
        return vec![plain];
    }
    if path.contains('*') { glob(package.base(), own(package, path)) } else { Vec::new() }
}

/// Files are named with or without the package's `target-dir` in front.
fn targeted(package: &Package, path: &str) -> String {
    match &package.target {
        Some(target) if !package.base().join(path).exists() => format!("{target}/{path}"),
        _ => path.to_owned(),
    }
}

fn origin_of(package: &Package) -> PathBuf {
    Path::join(&package.folder, "composer.json")
}

/// Longest chain of dependencies: a longer one is no real project, but would exhaust the stack.
const DEEPEST: usize = 2_000;

pub(super) fn sorted<'a>(packages: &[&'a Package]) -> Vec<&'a Package> {
    let mut users: HashMap<&str, Vec<&str>> = HashMap::new();
    for package in packages {
        for required in &package.requires {
            users.entry(required).or_default().push(&package.name);
        }
    }
    let mut weights = Weights { users, known: HashMap::new() };
    let mut weighed: Vec<(i64, &'a Package)> =
        packages.iter().map(|package| (weights.weight(&package.name, 0), *package)).collect();
    weighed.sort_by(|(one, a), (other, b)| one.cmp(other).then_with(|| natural(a.name.as_bytes(), b.name.as_bytes())));
    weighed.into_iter().map(|(_, package)| package).collect()
}

struct Weights<'a> {
    users: HashMap<&'a str, Vec<&'a str>>,
    /// `None` for those being weighed: in a cycle, they weigh nothing.
    known: HashMap<&'a str, Option<i64>>,
}

impl<'a> Weights<'a> {
    fn weight(&mut self, name: &'a str, depth: usize) -> i64 {
        if let Some(known) = self.known.get(name) {
            return known.unwrap_or(0);
        }
        if depth == DEEPEST {
            return 0;
        }
        self.known.insert(name, None);
        let users = self.users.get(name).cloned().unwrap_or_default();
        let weight = users
            .into_iter()
            .fold(0i64, |weight, user| weight.saturating_add(self.weight(user, depth + 1)).saturating_sub(1));
        self.known.insert(name, Some(weight));
        weight
    }
}

/// PHP's `strnatcasecmp` for package names: numbers in them compare as numbers.
fn natural(one: &[u8], other: &[u8]) -> Ordering {
    let (mut one, mut other) = (one, other);
    loop {
        let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (mine, theirs) = (digits(one), digits(other));
        let order = if mine > 0 && theirs > 0 {
            let ((a, rest), (b, others)) = (one.split_at(mine), other.split_at(theirs));
            (one, other) = (rest, others);
            if a.first() == Some(&b'0') || b.first() == Some(&b'0') {
                // As fractions.
                a.cmp(b)
            } else {
                a.len().cmp(&b.len()).then_with(|| a.cmp(b))
            }
        } else {
            let (Some((a, rest)), Some((b, others))) = (one.split_first(), other.split_first()) else {
                return one.len().cmp(&other.len());
            };
            (one, other) = (rest, others);
            a.to_ascii_uppercase().cmp(&b.to_ascii_uppercase())
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

#[cfg(test)]
mod tests;
