//! A project as described by its JSON files. The principal type is [`Project`].

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::readers::composer::package::{Package, read, read_object, strings};
use crate::readers::path::{glob, lexical};
use crate::{Options, Problem};

#[derive(Debug, Default)]
pub(super) struct Project {
    /// Without links.
    pub(super) folder: PathBuf,
    pub(super) root: Package,
    /// Relevant packages, in Composer's order.
    pub(super) packages: Vec<Package>,
    pub(super) vendor: PathBuf,
    pub(super) prepends: bool,
    pub(super) inputs: Vec<PathBuf>,
    pub(super) problems: Vec<Problem>,
    json: Value,
}

impl Project {
    pub(super) fn open(folder: &Path) -> Result<Self, Problem> {
        let folder =
            folder.canonicalize().map_err(|error| Problem::of(folder, format!("it cannot be read: {error}")))?;
        let file = folder.join("composer.json");
        let json = read_object(&file)?.unwrap_or_default();
        let mut project = Self { vendor: folder.join("vendor"), inputs: vec![file.clone()], ..Self::default() };
        let config = |key: &str| json.get("config").and_then(|config| config.get(key));
        match config("vendor-dir").and_then(Value::as_str) {
            Some(vendor) if vendor.starts_with(['~', '$', '%']) || vendor.contains("{$") => {
                let what = format!("vendor-dir, `{vendor}`, is not known: write it without variables");
                project.problems.push(Problem::of(&file, what).hiding());
            }
            Some(vendor) if !vendor.trim_end_matches('/').is_empty() => {
                project.vendor = lexical(&folder, vendor.as_bytes());
            }
            _ => {}
        }
        // Composer writes paths without links.
        project.vendor = project.vendor.canonicalize().unwrap_or(project.vendor);
        project.prepends = config("prepend-autoloader") != Some(&Value::Bool(false));
        project.root = Package { is_root: true, ..Package::of(&json, folder.clone()) };
        if project.root.target.take().is_some() {
            let what = "its `target-dir` is not followed: move its classes, or name their folders in `autoload`";
            project.problems.push(Problem::of(&file, what).hiding());
        }
        project.folder = folder;
        project.json = json;
        Ok(project)
    }

    /// Adds the installed packages, and those of path repositories that are required and not installed.
    pub(super) fn add_packages(&mut self, options: &Options) -> Result<(), Problem> {
        if self.json.get("extra").is_some_and(|extra| extra.get("merge-plugin").is_some()) {
            let what = "files of its merge-plugin are not followed: run composer dump-autoload, whose result is read";
            self.problems.push(Problem::of(self.folder.join("composer.json"), what).hiding());
        }
        let file = self.vendor.join("composer/installed.json");
        self.inputs.push(file.clone());
        let installed = read(&file)?.unwrap_or_default();
        // As Composer infers it when not told.
        let dev = options.dev || options.anew && installed.get("dev").and_then(Value::as_bool) == Some(true);
        // Composer 1 wrote the list alone.
        let list = installed.get("packages").unwrap_or(&installed);
        for package in list.as_array().into_iter().flatten() {
            if let Some(package) = self.installed(package) {
                self.packages.push(package);
            }
        }
        let keys = if dev { &["autoload", "autoload-dev"][..] } else { &["autoload"] };
        for what in keys.iter().flat_map(|key| misshapen(&self.json, key)) {
            self.problems.push(Problem::of(self.folder.join("composer.json"), what).hiding());
        }
        if dev {
            self.root.autoload = std::mem::take(&mut self.root.autoload).and(&self.root.autoload_dev);
        }
        self.add_missing(dev);
        if !dev {
            match installed.get("dev-package-names").map(strings).filter(|names| !names.is_empty()) {
                Some(names) => self.packages.retain(|package| !names.contains(&package.name)),
                None => self.retain_required(),
            }
        }
        Ok(())
    }

    fn installed(&mut self, json: &Value) -> Option<Package> {
        let name = json.get("name").and_then(Value::as_str)?;
        if json.get("type").and_then(Value::as_str) == Some("metapackage") {
            return None;
        }
        let folder = match json.get("install-path") {
            Some(Value::String(path)) => lexical(&self.vendor.join("composer"), path.as_bytes()),
            Some(Value::Null) => return None,
            _ => {
                let target = json.get("target-dir").and_then(Value::as_str).unwrap_or_default();
                lexical(&self.vendor, format!("{name}/{target}").as_bytes())
            }
        };
        if !folder.is_dir() {
            let what = format!("{name} should be in {}, which does not exist: run composer install", folder.display());
            self.problems.push(Problem::of(self.vendor.join("composer/installed.json"), what).hiding());
        }
        Some(Package::of(json, folder))
    }

    /// Takes required packages that are not installed from path repositories.
    fn add_missing(&mut self, dev: bool) {
        let mut there: HashSet<String> = self.packages.iter().flat_map(Package::names).cloned().collect();
        there.extend(self.root.names().cloned());
        let mut wanted: Vec<String> = self.root.requires.clone();
        if dev {
            wanted.extend_from_slice(&self.root.requires_dev);
        }
        let mut repositories: Option<HashMap<String, Package>> = None;
        let mut at = 0;
        while let Some(name) = wanted.get(at).cloned() {
            at += 1;
            if links_to_platform(&name) || !there.insert(name.clone()) {
                continue;
            }
            match repositories
                .get_or_insert_with(|| path_repositories(&self.json, &self.folder, &mut self.inputs))
                .remove(&name)
            {
                Some(package) => {
                    wanted.extend_from_slice(&package.requires);
                    there.extend(package.names().cloned());
                    self.packages.push(package);
                }
                None => {
                    let what = format!(
                        "{name} is required, but neither installed nor in a path repository: run composer install"
                    );
                    self.problems.push(Problem::of(self.folder.join("composer.json"), what).hiding());
                }
            }
        }
    }

    /// Removes what only `require-dev` needs, by following links: an installed.json of Composer 1 does not say.
    fn retain_required(&mut self) {
        let mut by_name: HashMap<&str, &Package> = HashMap::new();
        let mut replaced: HashMap<&str, &str> = HashMap::new();
        for package in &self.packages {
            by_name.insert(&package.name, package);
            replaced.extend(package.replaces.iter().map(|name| (name.as_str(), package.name.as_str())));
        }
        let mut included: HashSet<&str> = HashSet::new();
        let mut open = vec![&self.root];
        while let Some(package) = open.pop() {
            for required in &package.requires {
                let name = replaced.get(required.as_str()).copied().unwrap_or(required);
                if included.insert(name) {
                    open.extend(by_name.get(name));
                }
            }
        }
        let kept: Vec<bool> =
            self.packages.iter().map(|package| package.names().any(|name| included.contains(name.as_str()))).collect();
        let mut kept = kept.into_iter();
        self.packages.retain(|_| kept.next().unwrap_or(true));
    }
}

/// Entries of `autoload` that Composer would not accept.
fn misshapen<'a>(json: &'a Value, key: &'a str) -> impl Iterator<Item = String> + 'a {
    let is_empty = |value: &Value| value.as_array().is_some_and(Vec::is_empty);
    let is_text = |value: &Value| value.is_string();
    // To PHP, a list and an object are the same.
    let is_list = move |value: &Value| match value {
        Value::Array(list) => list.iter().all(is_text),
        Value::Object(object) => object.values().all(is_text),
        _ => false,
    };
    let autoload = json.get(key).filter(|value| !value.is_null() && !is_empty(value));
    let whole = autoload.filter(|value| !value.is_object()).map(|_| format!("`{key}`: expected an object"));
    let prefixes = ["psr-4", "psr-0"].into_iter().filter_map(move |rule| {
        let value = autoload?.get(rule).filter(|value| !is_empty(value))?;
        let fits = |prefixes: &serde_json::Map<String, Value>| {
            prefixes.values().all(|folders| is_text(folders) || is_list(folders))
        };
        (!value.as_object().is_some_and(fits))
            .then(|| format!("`{rule}` in `{key}`: expected folders by prefixes: {{ \"App\\\\\": \"src/\" }}"))
    });
    let lists = ["classmap", "exclude-from-classmap"].into_iter().filter_map(move |rule| {
        let value = autoload?.get(rule)?;
        (!is_list(value)).then(|| format!("`{rule}` in `{key}`: expected a list of folders: [ \"src/\" ]"))
    });
    whole.into_iter().chain(prefixes).chain(lists)
}

/// Packages of `"type": "path"` by name; the first of a name holds.
fn path_repositories(json: &Value, folder: &Path, inputs: &mut Vec<PathBuf>) -> HashMap<String, Package> {
    let mut packages = HashMap::new();
    let repositories: Vec<&Value> = match json.get("repositories") {
        Some(Value::Array(list)) => list.iter().collect(),
        Some(Value::Object(object)) => object.values().collect(),
        _ => Vec::new(),
    };
    for repository in repositories.into_iter().filter(|one| one.get("type").and_then(Value::as_str) == Some("path")) {
        let Some(url) = repository.get("url").and_then(Value::as_str) else { continue };
        for package in glob(folder, url) {
            let file = package.join("composer.json");
            // One that can't be read is no package; if it is required, that is reported.
            if let Ok(Some(json)) = read(&file) {
                inputs.push(file);
                let package = Package::of(&json, package.canonicalize().unwrap_or(package));
                packages.entry(package.name.clone()).or_insert(package);
            }
        }
    }
    packages
}

/// Whether a package's name means PHP, one of its extensions or Composer itself.
fn links_to_platform(name: &str) -> bool {
    !name.contains('/')
}
