//! What the AutoLoader and Composer's loaders know when MediaWiki has started. The principal type is [`Registry`].

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use bstr::BString;
use serde_json::{Map, Value};

use crate::input::read_whole;
use crate::readers::mediawiki::core::Core;
use crate::readers::mediawiki::follow::Settings;
use crate::readers::{composer, path};
use crate::{Application, Loader, Problem, Rule, Standing};

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
        match composer::vendor_of(&mut self.application, &self.core.root, folder, standing) {
            Some((loader, _)) if standing == Standing::Perhaps => self.perhaps.push(loader),
            Some((loader, true)) => self.ahead.push(loader),
            Some((loader, false)) => self.behind.push(loader),
            None => {}
        }
    }
}

fn switch_on() -> Vec<String> {
    vec![
        "in LocalSettings.php, before the first extension is loaded: require '…/unladen-classmap.php';".to_owned(),
        "or for a PHP-FPM pool that serves only this wiki: php_admin_value[auto_prepend_file] = …/unladen-classmap.php"
            .to_owned(),
        "prefer the second: the map then also finds MediaWiki's own classes that are needed before LocalSettings.php"
            .to_owned(),
    ]
}

/// The namespaces that the AutoLoader searches: prefixes and their folders, filled like PHP's `+=` on arrays: existing
/// keys stay.
pub(super) struct Namespaces {
    root: PathBuf,
    has_namespaces: bool,
    puts_slash: bool,
    known: HashSet<BString>,
    pub(super) prefixes: Vec<(BString, Vec<PathBuf>)>,
    pub(super) problems: Vec<Problem>,
}

impl Namespaces {
    pub(super) fn of(core: &Core) -> Self {
        let (known, prefixes, problems) = Default::default();
        let Core { root, has_namespaces, puts_slash, .. } = core;
        Self { root: root.clone(), has_namespaces: *has_namespaces, puts_slash: *puts_slash, known, prefixes, problems }
    }

    /// Adds those not yet registered.
    pub(super) fn register(&mut self, namespaces: Vec<(BString, BString)>, origin: &Path) {
        if !self.has_namespaces {
            return;
        }
        for (prefix, folder) in namespaces {
            if !self.known.insert(prefix.clone()) {
                continue;
            }
            // The AutoLoader cuts a class's name after a `\`, and looks for that.
            let never = if !prefix.ends_with(b"\\") {
                Some("does not end with `\\`")
            } else if !self.puts_slash && !folder.ends_with(b"/") {
                Some("names a folder without a final `/`, which this release of MediaWiki does not add")
            } else {
                None
            };
            match never {
                Some(what) => {
                    let what = format!(
                        "the namespace `{prefix}` {what}: neither MediaWiki nor the map finds any of its classes"
                    );
                    self.problems.push(Problem::of(origin, what));
                }
                None => self.prefixes.push((prefix, vec![path::below(&self.root, &folder)])),
            }
        }
    }
}

/// What MediaWiki's ExtensionProcessor takes for classes from the `extension.json` or `skin.json` of one extension or
/// skin, except entries for tests.
#[derive(Debug, Default)]
pub(super) struct Manifest {
    pub(super) origin: PathBuf,
    /// `AutoloadClasses`: classes and files.
    pub(super) classes: Vec<(BString, BString)>,
    /// `AutoloadNamespaces`: prefixes and folders, joined as the code does: a trailing `/` matters in some releases.
    pub(super) namespaces: Vec<(BString, BString)>,
    /// `load_composer_autoloader`: the folder of Composer's own loader.
    pub(super) vendor: Option<PathBuf>,
}

impl Manifest {
    /// All extensions and skins present, by name.
    pub(super) fn all(root: &Path) -> Vec<PathBuf> {
        let mut manifests = Vec::new();
        for (folder, file) in [("extensions", "extension.json"), ("skins", "skin.json")] {
            let names = std::fs::read_dir(root.join(folder)).into_iter().flatten().flatten();
            let mut of_kind: Vec<_> = names.map(|name| name.path().join(file)).filter(|path| path.is_file()).collect();
            of_kind.sort();
            manifests.append(&mut of_kind);
        }
        manifests
    }

    /// Fails if MediaWiki would refuse it, too: the wiki does not work then, so there is nothing to save.
    pub(super) fn read(origin: &Path) -> Result<Self, Problem> {
        let text = read_whole(origin).map_err(|error| {
            let what = match error.kind() {
                std::io::ErrorKind::NotFound => {
                    "is enabled, but does not exist; MediaWiki itself would stop here".to_owned()
                }
                _ => format!("cannot be read ({error}): none of its classes is in the map"),
            };
            Problem::of(origin, what)
        })?;
        let value: Value = serde_json::from_slice(&text).map_err(|error| {
            let line = u32::try_from(error.line()).unwrap_or(u32::MAX);
            let what = format!("is not JSON: {error}; none of its classes is in the map");
            Problem::at(origin, line, what)
        })?;
        let Value::Object(value) = value else {
            return Err(Problem::of(origin, "expected a JSON object; none of its classes is in the map"));
        };
        let folder = origin.parent().unwrap_or(origin);
        let classes = pairs(origin, &value, "AutoloadClasses")?
            .map(|(class, file)| (class, path::bytes(path::plain(&joined(folder, file)))))
            .collect();
        let namespaces =
            pairs(origin, &value, "AutoloadNamespaces")?.map(|(prefix, to)| (prefix, joined(folder, to))).collect();
        let vendor = (value.get("load_composer_autoloader") == Some(&Value::Bool(true))).then(|| folder.join("vendor"));
        Ok(Self { origin: origin.to_owned(), classes, namespaces, vendor })
    }
}

/// As ExtensionProcessor does: the result is below the folder, even if `to` begins with `/`.
fn joined(folder: &Path, to: &str) -> BString {
    let mut joined = path::bytes(folder.to_owned());
    joined.push(b'/');
    joined.extend_from_slice(to.as_bytes());
    joined
}

fn pairs<'a>(
    origin: &Path,
    value: &'a Map<String, Value>,
    key: &str,
) -> Result<impl Iterator<Item = (BString, &'a str)> + use<'a>, Problem> {
    let wrong =
        || Problem::of(origin, format!("`{key}`: expected strings by strings; none of its classes is in the map"));
    let object = match value.get(key) {
        Some(Value::Object(object)) => Some(object),
        // To PHP, an empty list and an empty object are the same.
        None | Some(Value::Null) => None,
        Some(Value::Array(list)) if list.is_empty() => None,
        Some(_) => return Err(wrong()),
    };
    let pairs: Vec<_> = object
        .into_iter()
        .flatten()
        .map(|(name, to)| Some((BString::from(name.as_str()), to.as_str()?)))
        .collect::<Option<_>>()
        .ok_or_else(wrong)?;
    Ok(pairs.into_iter())
}
