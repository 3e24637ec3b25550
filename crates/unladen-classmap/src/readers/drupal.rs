//! Drupal, from release 8 on: Composer's loader, and the namespaces of modules that Drupal adds to it. The principal
//! type is [`Drupal`].
//!
//! On start, Drupal's kernel adds a prefix to Composer's loader for each enabled module and profile: `Drupal\NAME\`, in
//! the module's `src`. Which are enabled is in the database (`core.extension`), and code asks `class_exists()` for
//! classes of optional modules: so, as for WordPress, none of their classes is in the map unless told that all present
//! modules are enabled.
//!
//! Drupal 7 keeps its list of classes in the database: it is not supported.

mod modules;

use std::path::{Path, PathBuf};

use bstr::BString;

use super::{Extensions, Options, Reader, composer};
use crate::{Application, Loader, Problem, Rule, Standing};
use modules::Modules;

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
        let missing = || Problem::of(root, format!("no Drupal: {CORE} was expected in it, or in its web/ or docroot/"));
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
            let notice = "all modules and profiles that are there are taken for enabled: what asks class_exists() for a class of one that is not would \
                          find it";
            application.problems.extend((!namespaces.is_empty()).then(|| Problem::of(&served, notice)));
            add(&mut loader, &served, namespaces);
        } else if !namespaces.is_empty() {
            let notice = format!(
                "which modules are enabled is in Drupal's database, which is not read: the classes of {} are left to Drupal's own loader; if all that \
                 are there are enabled, --all-extensions reads them",
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
            "Composer has written no loader into its vendor/, or into that of the folder above: run composer install",
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
        "of several sites, in the settings.php of each; not earlier: Composer's loader puts itself in front of what is there".to_owned(),
    ]
}

#[cfg(test)]
mod tests;
