//! Drupal, from release 8 on: Composer's loader, and the namespaces of modules that Drupal adds to it. The principal
//! type is [`Drupal`].
//!
//! On start, Drupal's kernel adds a prefix to Composer's loader for each enabled module and profile: `Drupal\NAME\`, in
//! the module's `src`. Which are enabled is in the database (`core.extension`), and code asks `class_exists()` for
//! classes of optional modules: so, as for WordPress, none of their classes is in the map unless told that all present
//! modules are enabled.
//!
//! Drupal 7 keeps its list of classes in the database: it is not supported.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use bstr::{BString, ByteSlice};

use crate::readers::{Extensions, Options, Reader, composer};
use crate::{Application, Loader, Problem, Rule, Standing};

#[derive(Debug)]
pub(super) struct Drupal;

/// Possible web roots in a Composer project.
const SERVED: [&str; 5] = ["", "web", "docroot", "html", "public"];
const CORE: &str = "core/lib/Drupal.php";

impl Reader for Drupal {
    fn name(&self) -> &'static str {
        "drupal"
    }

    fn about(&self) -> &'static str {
        "Drupal 8 and later: Composer's loader, with the namespaces of modules and profiles"
    }

    fn knows(&self, root: &Path) -> bool {
        served(root).is_some()
    }

    fn read(&self, root: &Path, options: &Options) -> Result<Application, Problem> {
        let root = &root.canonicalize().map_err(|error| Problem::of(root, format!("cannot be read: {error}")))?;
        let missing = || Problem::of(root, format!("not Drupal: expected {CORE} in it, or in its web/ or docroot/"));
        let served = served(root).ok_or_else(missing)?;
        let vendor = vendor(root, &served)?;
        let found = composer::vendor(&vendor, &format!("{}/", vendor.strip_prefix(root).unwrap_or(&vendor).display()))?;
        let mut application = Application {
            inputs: found.inputs,
            problems: found.problems,
            switch_on: switch_on(&served),
            ..Application::default()
        };
        let modules = Modules::of(&served);
        application.inputs.extend(modules.inputs);
        application.problems.extend(modules.problems);
        let mut loader = found.loader;
        let namespaces: Vec<(BString, PathBuf)> = modules
            .found
            .into_iter()
            .map(|(name, folder)| (BString::from(format!("Drupal\\{name}\\")), folder.join("src")))
            .filter(|(_, folder)| folder.is_dir())
            .collect();
        if options.extensions == Extensions::All {
            let notice = "all existing modules and profiles are assumed to be enabled: class_exists() will also find \
                          classes of disabled ones";
            application.problems.extend((!namespaces.is_empty()).then(|| Problem::of(&served, notice)));
            add(&mut loader, &served, namespaces);
        } else if !namespaces.is_empty() {
            let notice = format!(
                "Drupal's database, which says which modules are enabled, is not read: the classes of {} are left to \
                 Drupal's own loader; if all existing ones are enabled, --all-extensions reads them",
                if namespaces.len() == 1 { "one".to_owned() } else { format!("{} of them", namespaces.len()) }
            );
            application.problems.push(Problem::of(&served, notice));
            let prefixes = namespaces.into_iter().map(|(prefix, folder)| (prefix, vec![folder])).collect();
            let rule = Rule::Psr4 { origin: served, prefixes };
            let name = "Drupal's modules".to_owned();
            application.loaders.push(Loader { name, rules: vec![rule], standing: Standing::Perhaps });
        }
        application.loaders.push(loader);
        Ok(application)
    }
}

fn served(root: &Path) -> Option<PathBuf> {
    SERVED
        .iter()
        .map(|below| if below.is_empty() { root.to_owned() } else { root.join(below) })
        .find(|folder| folder.join(CORE).is_file())
}

/// Composer's folder: beside Drupal's `core`, or one above, as its `autoload.php` has it.
fn vendor(root: &Path, served: &Path) -> Result<PathBuf, Problem> {
    let above = served.parent().map(Path::to_owned);
    let places = [Some(served.to_owned()), Some(root.to_owned()), above];
    let vendors = places.into_iter().flatten().map(|place| place.join("vendor"));
    let mut dumped = vendors.filter(|vendor| composer::is_dumped(vendor));
    dumped.next().ok_or_else(|| {
        Problem::of(
            root,
            "there is no Composer loader in its vendor/, or in that of the folder above: run composer install",
        )
        .hiding()
    })
}

/// Adds to the prefixes of Composer's loader, whose own folders come first.
fn add(loader: &mut Loader, served: &Path, namespaces: Vec<(BString, PathBuf)>) {
    // An authoritative one asks for no prefix.
    let is_list_alone = loader.rules.iter().all(|rule| matches!(rule, Rule::List { .. }));
    let place = loader.rules.iter().position(|rule| matches!(rule, Rule::Psr4 { .. }));
    if is_list_alone && !loader.rules.is_empty() && place.is_none() {
        return;
    }
    let place = place.unwrap_or_else(|| {
        let first = loader.rules.iter().take_while(|rule| matches!(rule, Rule::List { .. })).count();
        loader.rules.insert(first, Rule::Psr4 { origin: served.to_owned(), prefixes: Vec::new() });
        first
    });
    let Some(Rule::Psr4 { prefixes, .. }) = loader.rules.get_mut(place) else { return };
    for (prefix, folder) in namespaces {
        match prefixes.iter_mut().find(|(known, _)| *known == prefix) {
            Some((_, folders)) => folders.push(folder),
            // The empty prefix comes last.
            None => {
                let end = prefixes.iter().position(|(known, _)| known.is_empty()).unwrap_or(prefixes.len());
                prefixes.insert(end, (prefix, vec![folder]));
            }
        }
    }
}

fn switch_on(served: &Path) -> Vec<String> {
    vec![
        format!("in {}/sites/default/settings.php, at its end: require '…/unladen-classmap.php';", served.display()),
        "with several sites, in the settings.php of each; not earlier, because Composer's loader registers itself \
         before existing loaders"
            .to_owned(),
    ]
}

/// Their places below the web root; those of sites come in addition.
const PLACES: [&str; 4] = ["core/modules", "core/profiles", "modules", "profiles"];
const OF_A_SITE: [&str; 2] = ["modules", "profiles"];
/// Folders with many files in which Drupal does not look for modules.
const PASSED_OVER: [&[u8]; 14] = [
    b"src",
    b"lib",
    b"vendor",
    b"assets",
    b"css",
    b"files",
    b"images",
    b"js",
    b"misc",
    b"templates",
    b"includes",
    b"fixtures",
    b"tests",
    b"node_modules",
];
/// Limits on depth, number of folders, and bytes read of a file: Drupal needs no more.
const DEEPEST: usize = 8;
const MOST_FOLDERS: usize = 50_000;
const MOST_BYTES: u64 = 64 << 10;
const INFO: &[u8] = b".info.yml";

/// The modules and profiles in Drupal's folders.
#[derive(Debug, Default)]
struct Modules {
    found: BTreeMap<String, PathBuf>,
    inputs: Vec<PathBuf>,
    problems: Vec<Problem>,
}

#[derive(Default)]
struct Search {
    found: BTreeMap<String, BTreeSet<PathBuf>>,
    seen: BTreeSet<PathBuf>,
    inputs: Vec<PathBuf>,
}

impl Modules {
    fn of(served: &Path) -> Self {
        let mut search = Search::default();
        for place in PLACES {
            search.look(&served.join(place), DEEPEST);
        }
        for site in std::fs::read_dir(served.join("sites")).into_iter().flatten().flatten() {
            for place in OF_A_SITE {
                search.look(&site.path().join(place), DEEPEST);
            }
        }
        let mut modules = Self { inputs: search.inputs, ..Self::default() };
        if search.seen.len() >= MOST_FOLDERS {
            let what = format!("more than {MOST_FOLDERS} folders: modules beyond those are not seen");
            modules.problems.push(Problem::of(served, what).hiding());
        }
        for (name, folders) in search.found {
            let folders: Vec<PathBuf> = folders.into_iter().collect();
            match <[PathBuf; 1]>::try_from(folders) {
                Ok([folder]) => {
                    modules.found.insert(name, folder);
                }
                Err(folders) => {
                    let what =
                        format!("`{name}` exists {} times: its classes are left to Drupal's own loader", folders.len());
                    modules.problems.extend(folders.first().map(|folder| Problem::of(folder, what)));
                }
            }
        }
        modules
    }
}

impl Search {
    fn look(&mut self, folder: &Path, deep: usize) {
        let Ok(real) = folder.canonicalize() else { return };
        if self.seen.len() >= MOST_FOLDERS || !self.seen.insert(real) {
            return;
        }
        let mut below = Vec::new();
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let (name, path) = (entry.file_name(), entry.path());
            let name = name.as_encoded_bytes();
            if let Some(module) = name.strip_suffix(INFO).and_then(|name| name.to_str().ok()) {
                if is_name(module) && is_module(&path) {
                    self.inputs.push(path);
                    self.found.entry(module.to_owned()).or_default().insert(folder.to_owned());
                }
            } else if !name.starts_with(b".") && !PASSED_OVER.contains(&name) && path.is_dir() {
                below.push(path);
            }
        }
        below.sort();
        if deep > 0 {
            below.iter().for_each(|folder| self.look(folder, deep - 1));
        }
    }
}

/// A valid name for a PHP function: it is a part of the namespace.
fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Whether the file is that of a module or a profile: classes of themes are not loaded this way.
fn is_module(file: &Path) -> bool {
    use std::io::Read;

    let mut text = Vec::new();
    let read = std::fs::File::open(file).and_then(|open| open.take(MOST_BYTES).read_to_end(&mut text));
    read.is_ok()
        && text.lines().filter_map(|line| line.strip_prefix(b"type:")).any(|value| {
            let value = value.split_once_str(" #").map_or(value, |(value, _)| value).trim_ascii();
            let plain = value.trim_with(|letter| matches!(letter, '\'' | '"'));
            matches!(plain, b"module" | b"profile")
        })
}

#[cfg(test)]
mod tests;
