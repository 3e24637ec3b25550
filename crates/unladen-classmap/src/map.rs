//! The result: the principal type is [`Map`], made of the loaders' claims by a [`Verdict`] on each class.

use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;

use bstr::{BStr, BString, ByteSlice};

use crate::claim::{Claim, Claims, Resolution};
use crate::php::Kind;
use crate::{Application, Problem, Rule, Standing, Tree};

/// Each class that the loaders would find, and its file.
#[derive(Debug, Default)]
pub struct Map {
    /// By name, bytewise; no two names differ in case alone.
    pub entries: Vec<Entry>,
    pub duplicates: Vec<Duplicate>,
    /// Classes not in the file where their namespace's folder promises them, by name.
    pub violations: Vec<Violation>,
    pub problems: Vec<Problem>,
}

/// A class and its file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Name as declared, without a leading `\`.
    pub class: BString,
    pub path: BString,
    pub kind: Kind,
}

/// A class that several files declare.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Duplicate {
    pub class: BString,
    /// The file that the loaders find; `None` if they find none, or if it cannot be told which.
    pub wins: Option<BString>,
    pub why: String,
    pub others: Vec<BString>,
}

/// A class that is not where its namespace's folder promises it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    pub class: BString,
    pub path: BString,
    pub expected: PathBuf,
}

struct Named<'a> {
    folded: BString,
    spellings: Vec<&'a BStr>,
}

impl Map {
    /// The map of an application whose files have been read.
    pub fn of(application: &Application, tree: &Tree) -> Self {
        let claims = Claims::new(application, tree);
        let mut map = Self::default();
        let mut claimed = HashSet::new();
        for named in all_names(application, tree) {
            map.decide(application, tree, &claims, &named, &mut claimed);
        }
        map.entries.sort();
        map.duplicates.sort();
        map.violations = violations(tree, &claims, &claimed);
        map.problems = application
            .problems
            .iter()
            .chain(tree.problems())
            .cloned()
            .chain(broken_lists(application, tree))
            .collect();
        map.problems.sort();
        map.problems.dedup();
        map
    }

    fn decide<'a>(
        &mut self,
        application: &Application,
        tree: &Tree,
        claims: &Claims<'a>,
        named: &Named<'_>,
        claimed: &mut HashSet<BString>,
    ) {
        let mut found: Option<Claim<'a>> = None;
        let mut open: Option<String> = None;
        let mut files: BTreeSet<BString> = BTreeSet::new();
        for spelling in &named.spellings {
            let all = claims.all(spelling);
            files.extend(
                all.iter().filter(|claim| claim.outcome == Resolution::Declared).map(|claim| claim.path.clone()),
            );
            match verdict(application, tree, all) {
                Verdict::File(claim) if claim.outcome == Resolution::Declared => match &found {
                    Some(other) if !tree.is_same_file(&other.path, &claim.path) => {
                        open = Some("its two spellings lead to different files".to_owned());
                    }
                    Some(_) => {}
                    None => found = Some(claim),
                },
                Verdict::Open(among) => {
                    let ways: Vec<_> = among.iter().map(|claim| claims.words(claim)).collect();
                    open = Some(format!("the files do not show which is asked first: {}", ways.join("; ")));
                }
                Verdict::File(_) | Verdict::Nothing => {}
            }
        }
        if files.is_empty() {
            return;
        }
        claimed.insert(named.folded.clone());
        let wins = if open.is_some() { None } else { found };
        if let Some(winner) = &wins {
            let declaration =
                tree.file(winner.path.as_bstr()).and_then(|file| file.declaration_of(named.folded.as_bstr()));
            if let Some(declaration) = declaration {
                self.entries.push(Entry {
                    class: declaration.name.clone(),
                    path: winner.path.clone(),
                    kind: declaration.kind,
                });
            }
        }
        self.tell_duplicate(tree, claims, named, wins, open, files);
    }

    fn tell_duplicate(
        &mut self,
        tree: &Tree,
        claims: &Claims<'_>,
        named: &Named<'_>,
        wins: Option<Claim<'_>>,
        open: Option<String>,
        files: BTreeSet<BString>,
    ) {
        if files.len() < 2 {
            return;
        }
        let mut known: HashSet<BString> = wins.iter().map(|wins| tree.without_links(&wins.path)).collect();
        let others: Vec<BString> = files.into_iter().filter(|path| known.insert(tree.without_links(path))).collect();
        if others.len() < 2 && (wins.is_none() || others.is_empty()) {
            return;
        }
        let why = match (&wins, open) {
            (Some(winner), _) => claims.words(winner),
            (None, Some(open)) => open,
            (None, None) => "a file that does not declare it comes first".to_owned(),
        };
        let class = named.spellings.first().map_or_else(|| named.folded.clone(), |spelling| (*spelling).to_owned());
        self.duplicates.push(Duplicate { class, wins: wins.map(|wins| wins.path), why, others });
    }
}

fn all_names<'a>(application: &'a Application, tree: &'a Tree) -> Vec<Named<'a>> {
    let declared =
        tree.files().flat_map(|(_, file)| file.declarations.iter().map(|declaration| declaration.name.as_bstr()));
    let listed = application.loaders.iter().flat_map(|loader| &loader.rules).filter_map(|rule| match rule {
        Rule::List { classes, .. } => Some(classes.iter().map(|(class, _)| class.as_bstr())),
        _ => None,
    });
    let mut names: Vec<(BString, &BStr)> =
        declared.chain(listed.flatten()).map(|name| (name.to_ascii_lowercase().into(), name)).collect();
    names.sort_unstable();
    names.dedup();
    let mut all: Vec<Named<'a>> = Vec::with_capacity(names.len());
    for (folded, spelling) in names {
        match all.last_mut() {
            Some(last) if last.folded == folded => last.spellings.push(spelling),
            _ => all.push(Named { folded, spellings: vec![spelling] }),
        }
    }
    all
}

/// Classes that no loader finds, in files without any found class, below a folder that promises them elsewhere.
fn violations(tree: &Tree, claims: &Claims<'_>, claimed: &HashSet<BString>) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (path, file) in tree.files() {
        let is_found = |name: &BString| claimed.contains(&BString::from(name.to_ascii_lowercase()));
        let classes = || file.declarations.iter().filter(|declaration| declaration.kind != Kind::Alias);
        if classes().any(|declaration| is_found(&declaration.name)) {
            continue;
        }
        for declaration in classes() {
            if let Some(expected) = claims.expected(declaration.name.as_bstr(), path) {
                violations.push(Violation { class: declaration.name.clone(), path: path.to_owned(), expected });
            }
        }
    }
    violations.sort();
    violations
}

fn broken_lists<'a>(application: &'a Application, tree: &'a Tree) -> impl Iterator<Item = Problem> + 'a {
    let lists = application.loaders.iter().flat_map(|loader| &loader.rules).filter_map(|rule| match rule {
        Rule::List { origin, classes } => Some((origin, classes)),
        _ => None,
    });
    lists.flat_map(|(origin, classes)| classes.iter().map(move |(class, path)| (origin, class, path))).filter_map(
        |(origin, class, path)| {
            let what = match tree.file(path.as_bstr()) {
                Some(file) if file.declaration_of(class.as_bstr()).is_some() => return None,
                Some(_) => "which does not declare it",
                None => "which does not exist or cannot be read",
            };
            Some(Problem::of(origin, format!("it lists `{class}` in {path}, {what}; generate that list again")))
        },
    )
}

/// What the loaders decide for a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict<'a> {
    /// They are led to this file first.
    File(Claim<'a>),
    /// It cannot be told which of several files.
    Open(Vec<Claim<'a>>),
    Nothing,
}

/// Decides for a class from all its claims, in order.
///
/// A loader that may not exist adds nothing; it only leaves undecided what others before or beside it would decide.
pub fn verdict<'a>(application: &Application, tree: &Tree, claims: Vec<Claim<'a>>) -> Verdict<'a> {
    let mut first_of_each = claims;
    first_of_each.dedup_by_key(|claim| claim.loader);
    let standing =
        |claim: &Claim<'_>| application.loaders.get(claim.loader).map(|loader| loader.standing).unwrap_or_default();

    let mut open: Vec<Claim<'a>> = Vec::new();
    let mut rest = first_of_each.into_iter().peekable();
    while let Some(claim) = rest.next() {
        match standing(&claim) {
            Standing::Perhaps => open.push(claim),
            Standing::Sure => {
                open.push(claim);
                return agreed(tree, open);
            }
            Standing::Unordered => {
                let within = group(application, claim.loader);
                open.push(claim);
                while let Some(beside) = rest.next_if(|beside| within.contains(&beside.loader)) {
                    open.push(beside);
                }
                return agreed(tree, open);
            }
        }
    }
    Verdict::Nothing
}

fn group(application: &Application, loader: usize) -> std::ops::Range<usize> {
    let unordered =
        |at: &usize| application.loaders.get(*at).is_some_and(|loader| loader.standing == Standing::Unordered);
    let start = (0..loader).rev().take_while(unordered).last().unwrap_or(loader);
    let end = (loader..application.loaders.len()).take_while(unordered).last().unwrap_or(loader) + 1;
    start..end
}

/// The last claim decides, if no other leads elsewhere.
fn agreed<'a>(tree: &Tree, mut claims: Vec<Claim<'a>>) -> Verdict<'a> {
    let Some(last) = claims.last() else { return Verdict::Nothing };
    if claims.iter().any(|claim| !tree.is_same_file(&claim.path, &last.path)) {
        return Verdict::Open(claims);
    }
    claims.pop().map_or(Verdict::Nothing, Verdict::File)
}

#[cfg(test)]
mod tests;
