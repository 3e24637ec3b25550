//! What the AutoLoader and Composer's loaders know when MediaWiki has started. The principal type is [`Registry`].

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use bstr::BString;

use super::core::Core;
use super::manifest::Manifest;
use super::namespaces::Namespaces;
use super::settings::Settings;
use crate::readers::composer;
use crate::readers::path;
use crate::{Application, Loader, Rule, Standing};

/// MediaWiki's ExtensionRegistry, as far as classes go.
pub(super) struct Registry {
    core: Core,
    application: Application,
    /// Loaders that prepend themselves, the last first; and those behind the AutoLoader.
    ahead: Vec<Loader>,
    behind: Vec<Loader>,
    perhaps: Vec<Loader>,
}

impl Registry {
    pub(super) fn new(core: Core) -> Self {
        let inputs = vec![core.loader.clone(), core.list.clone()];
        let application = Application { inputs, switch_on: switch_on(), ..Application::default() };
        let (ahead, behind, perhaps) = Default::default();
        Self { core, application, ahead, behind, perhaps }
    }

    pub(super) fn application(mut self, settings: Settings) -> Application {
        self.application.inputs.extend(settings.inputs);
        self.application.problems.extend(settings.problems);
        let mut rules =
            vec![Rule::List { origin: self.core.list.clone(), classes: std::mem::take(&mut self.core.classes) }];
        let mut namespaces = Namespaces::of(&self.core);
        let of_core = std::mem::take(&mut self.core.namespaces);
        let loader = self.core.loader.clone();
        namespaces.register(of_core, &loader);
        self.vendor(&self.core.root.join("vendor"), Standing::Sure);

        // LocalSettings.php itself runs before any extension is loaded.
        let list = |(origin, class, file): (PathBuf, BString, BString)| Rule::List {
            origin,
            classes: vec![(class, path::bytes(path::below(&self.core.root, &file)))],
        };
        rules.extend(settings.classes.into_iter().map(list));
        // Here a later one replaces an earlier one.
        let mut old: Vec<Rule> = settings.old_classes.into_iter().rev().map(list).collect();
        if !self.core.asks_old_list_last {
            rules.append(&mut old);
        }
        namespaces.register(settings.namespaces, &loader);
        for folder in settings.vendors {
            self.vendor(&folder, Standing::Sure);
        }
        let mut loaded: HashSet<PathBuf> = HashSet::new();
        let mut vendors = Vec::new();
        for manifest in settings.loaded.into_iter().filter(|manifest| loaded.insert(manifest.clone())) {
            self.application.inputs.push(manifest.clone());
            match Manifest::read(&manifest) {
                Ok(manifest) => {
                    if !manifest.classes.is_empty() {
                        rules.push(Rule::List { origin: manifest.origin.clone(), classes: manifest.classes });
                    }
                    namespaces.register(manifest.namespaces, &manifest.origin);
                    vendors.extend(manifest.vendor);
                }
                Err(problem) => self.application.problems.push(problem.hiding()),
            }
        }
        rules.append(&mut old);
        // Only when all manifests have been read.
        for folder in vendors {
            self.vendor(&folder, Standing::Sure);
        }
        self.application.problems.append(&mut namespaces.problems);
        if !namespaces.prefixes.is_empty() {
            rules.push(Rule::Psr4 { origin: loader, prefixes: namespaces.prefixes });
        }

        let mut doubtful = settings.perhaps;
        if settings.open {
            doubtful.extend(Manifest::all(&self.core.root));
        }
        for file in doubtful.into_iter().filter(|file| loaded.insert(file.clone())) {
            self.perhaps(&file);
        }
        let name = "MediaWiki's AutoLoader".to_owned();
        let own = Loader { name, rules, standing: Standing::Sure };
        self.ahead.reverse();
        self.application.loaders = self.perhaps.into_iter().chain(self.ahead).chain([own]).chain(self.behind).collect();
        self.application
    }

    /// An extension or Composer loader that may be loaded: it can only leave classes undecided.
    fn perhaps(&mut self, file: &Path) {
        if file.extension().is_none_or(|extension| extension != "json") {
            return self.vendor(file, Standing::Perhaps);
        }
        self.application.inputs.push(file.to_owned());
        // Errors in an extension that may not be loaded are not reported.
        let Ok(manifest) = Manifest::read(file) else { return };
        let mut namespaces = Namespaces::of(&self.core);
        namespaces.register(manifest.namespaces, file);
        let rules = vec![
            Rule::List { origin: file.to_owned(), classes: manifest.classes },
            Rule::Psr4 { origin: file.to_owned(), prefixes: namespaces.prefixes },
        ];
        let name = format!("{}, if it is loaded", file.display());
        self.perhaps.push(Loader { name, rules, standing: Standing::Perhaps });
        if let Some(folder) = manifest.vendor {
            self.vendor(&folder, Standing::Perhaps);
        }
    }

    fn vendor(&mut self, folder: &Path, standing: Standing) {
        if !folder.join("autoload.php").is_file() {
            return;
        }
        let name = folder.strip_prefix(&self.core.root).unwrap_or(folder);
        let found = match composer::vendor(folder, &format!("{}/", name.display())) {
            Ok(found) => found,
            Err(problem) => return self.application.problems.push(problem.hiding()),
        };
        self.application.inputs.extend(found.inputs);
        self.application.problems.extend(found.problems);
        let loader = Loader { standing, ..found.loader };
        match standing {
            Standing::Perhaps => self.perhaps.push(loader),
            _ if found.prepends => self.ahead.push(loader),
            _ => self.behind.push(loader),
        }
    }
}

fn switch_on() -> Vec<String> {
    vec![
        "in LocalSettings.php, in front of all that loads extensions: require '…/unladen-classmap.php';".to_owned(),
        "or for a PHP-FPM pool that serves this wiki alone: php_admin_value[auto_prepend_file] = …/unladen-classmap.php".to_owned(),
        "the latter comes earlier: the map then finds MediaWiki's own classes too that are needed before LocalSettings.php".to_owned(),
    ]
}
