//! DokuWiki: Composer's loader in `vendor/`, then its own `load_autoload`. The principal type is [`DokuWiki`].
//!
//! `inc/load.php` looks for a class, in this order, in a list; in the namespaces of tests, of plugins and of templates;
//! for `dokuwiki\` in `inc/`; by the old names of plugins' classes. `vendor/autoload.php` is required before it, and
//! stays in front.
//!
//! DokuWiki catches what a plugin's or a template's file throws while it is loaded, for example a syntax error under a
//! newer PHP, and shows it on the page. A map cannot do that: it has none of their classes unless told that all of them
//! load. Plugins also bring Composer's loaders, which prepend themselves when loaded.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use bstr::{BStr, BString, ByteSlice};

use crate::input::read_whole;
use crate::php::constant::{Value, assigned, assignments};
use crate::readers::path::plain;
use crate::readers::settings_calls::{Settings, with};
use crate::readers::{Extensions, Options, Reader, composer};
use crate::{Application, Loader, Problem, Rule, Standing};

#[derive(Debug)]
pub(super) struct DokuWiki;

/// Code in `inc/load.php`, without blanks, of the behaviour above: for its own namespace, plugins and templates.
const OWN: &[&[u8]] = &[b"DOKU_INC.'inc/'.substr($name,9).'.php'"];
const PLUGINS: &[&[u8]] = &[
    b"DOKU_PLUGIN.substr($name,16).'.php'",
    b"DOKU_INC.'lib/tpl/'.substr($name,18).'.php'",
    b"str_replace('/test/','/_test/',$name)",
    b")_plugin_('.DOKU_PLUGIN_NAME_REGEX.')(?:_([^_]+))?$/'",
    b"DOKU_PLUGIN.\"{$m[2]}/{$m[1]}$c.php\"",
];

impl Reader for DokuWiki {
    fn name(&self) -> &'static str {
        "dokuwiki"
    }

    fn about(&self) -> &'static str {
        "DokuWiki: its own list and namespace, vendor/, and its plugins and templates"
    }

    fn knows(&self, root: &Path) -> bool {
        root.join("doku.php").is_file() && root.join("inc/load.php").is_file() && root.join("inc/init.php").is_file()
    }

    fn read(&self, root: &Path, options: &Options) -> Result<Application, Problem> {
        // DOKU_INC is derived from __FILE__, which has no links.
        let root = &root.canonicalize().map_err(|error| Problem::of(root, format!("cannot be read: {error}")))?;
        let mut reading = Reading { root, application: Application::default(), loaders: Vec::new() };
        let plugins = reading.plugins(options);
        reading.read(&plugins, options.extensions == Extensions::All)?;
        let Reading { mut application, loaders, .. } = reading;
        application.switch_on = switch_on(root);
        application.loaders = loaders;
        Ok(application)
    }
}

struct Reading<'a> {
    root: &'a Path,
    application: Application,
    loaders: Vec<Loader>,
}

impl Reading<'_> {
    /// The folder of plugins: below `lib/`, unless the preload file says otherwise.
    fn plugins(&mut self, options: &Options) -> PathBuf {
        let usual = self.root.join("lib/plugins");
        let inc = self.inc();
        let mut settings = Settings::default();
        let preload = self.root.join("inc/preload.php");
        for file in [Some(&preload), options.settings.as_ref()].into_iter().flatten() {
            settings.read(file, &[("DOKU_INC", &inc)], &["DOKU_PLUGIN"]);
        }
        let folder = match settings.values("DOKU_PLUGIN").as_deref() {
            Some([]) => usual,
            Some([only]) => only.clone(),
            _ => {
                let what =
                    "DOKU_PLUGIN is not one folder, or is computed at run time: the folder of plugins is not known";
                settings.problems.push(Problem::of(&preload, what).hiding());
                usual
            }
        };
        self.application.inputs.extend(settings.inputs);
        self.application.problems.extend(settings.problems);
        folder
    }

    fn inc(&self) -> Vec<u8> {
        [self.root.as_os_str().as_bytes(), b"/"].concat()
    }

    fn read(&mut self, plugins: &Path, all: bool) -> Result<(), Problem> {
        let standing = if all { Standing::Unordered } else { Standing::Perhaps };
        let templates = self.root.join("lib/tpl");
        let bundled = composer::vendors([plugins, templates.as_path()]);
        let mut behind = Vec::new();
        for folder in &bundled {
            if let Some((loader, prepends)) = composer::vendor_of(&mut self.application, self.root, folder, standing) {
                // A loader that may not exist may be in front, wherever it would put itself.
                if prepends || !all { self.loaders.push(loader) } else { behind.push(loader) }
            }
        }
        let vendor = self.root.join("vendor");
        if vendor.exists()
            && let Some((loader, _)) = composer::vendor_of(&mut self.application, self.root, &vendor, Standing::Sure)
        {
            self.loaders.push(loader);
        }
        let file = self.root.join("inc/load.php");
        let source = self.source(&file)?;
        let bare: Vec<u8> = source.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
        let does = |pieces: &[&[u8]]| pieces.iter().all(|piece| bare.contains_str(piece));
        let list = Rule::List { origin: file.clone(), classes: self.list(&source, &file)? };
        self.loaders.push(Loader { name: "DokuWiki's list".into(), rules: vec![list], ..Loader::default() });
        if does(PLUGINS) {
            let types = self.types()?;
            let rule = Rule::DokuWiki { origin: file.clone(), plugins: plugins.to_owned(), templates, types };
            let standing = if all { Standing::Sure } else { Standing::Perhaps };
            self.loaders.push(Loader { name: "DokuWiki's plugins and templates".into(), rules: vec![rule], standing });
            let notice = if all { ALL_LOAD } else { LEFT_OUT };
            self.application.problems.push(Problem::of(plugins, notice));
        } else {
            let what = "it finds the classes of plugins in an unknown way: they are left to it";
            self.application.problems.push(Problem::of(&file, what));
        }
        if does(OWN) && does(PLUGINS) {
            let prefixes = vec![("dokuwiki\\".into(), vec![self.root.join("inc")])];
            let rule = Rule::Psr4 { origin: file, prefixes };
            self.loaders.push(Loader { name: "DokuWiki's namespace".into(), rules: vec![rule], ..Loader::default() });
        }
        self.loaders.append(&mut behind);
        Ok(())
    }

    fn source(&mut self, file: &Path) -> Result<Vec<u8>, Problem> {
        self.application.inputs.push(file.to_owned());
        read_whole(file).map_err(|error| Problem::of(file, format!("cannot be read: {error}")).hiding())
    }

    /// The list that the function assigns to `$classes`.
    fn list(&self, source: &[u8], file: &Path) -> Result<Vec<(BString, BString)>, Problem> {
        let inc = self.inc();
        let given = assignments(&with(source, &[("DOKU_INC", &inc)]), file, "$classes")?;
        let list = given.iter().find_map(Value::as_array);
        let missing = || Problem::of(file, "expected a list of classes in `$classes`: not a known version of DokuWiki");
        let mut classes = Vec::new();
        for (class, path) in list.ok_or_else(missing)? {
            let (Some(class), Some(path)) = (class.as_str(), path.as_str()) else { return Err(missing()) };
            classes.push((class.into(), plain(path).as_os_str().as_bytes().into()));
        }
        Ok(classes)
    }

    fn types(&mut self) -> Result<Vec<BString>, Problem> {
        let file = self.root.join("inc/Extension/PluginController.php");
        let source = self.source(&file)?;
        let types = assigned(&source, &file, "PLUGIN_TYPES")?;
        let names = types.as_ref().and_then(Value::as_array).map(|types| types.iter().map(|(_, name)| name.as_str()));
        let names: Option<Vec<BString>> = names.and_then(|names| names.map(|name| name.map(BString::from)).collect());
        names.ok_or_else(|| Problem::of(&file, "expected PLUGIN_TYPES: not a known version of DokuWiki").hiding())
    }
}

const ALL_LOAD: &str = "all plugins and templates are assumed to load without errors: if one throws an error while \
     loading, DokuWiki no longer catches it, and the page fails";
const LEFT_OUT: &str = "the classes of plugins and templates are left to DokuWiki's own loader, which shows the \
     errors of a broken one and continues; if all of them load without errors, --all-extensions reads them";

/// Debian's inc/preload.php belongs to the package, and includes the administrator's.
fn switch_on(root: &Path) -> Vec<String> {
    const ADMINISTRATORS: &str = "/etc/dokuwiki/preload.php";
    let own = root.join("inc/preload.php");
    let is_debians = read_whole(&own).is_ok_and(|source| source.contains_str(ADMINISTRATORS));
    let file = if is_debians { PathBuf::from(ADMINISTRATORS) } else { own };
    let how = if file.exists() { "after its <?php" } else { "a new file that begins with <?php" };
    vec![
        format!("in {}, {how}: require '…/unladen-classmap.php';", file.display()),
        "Composer's loader registers itself before it, but searches no file for a class that it does not know"
            .to_owned(),
    ]
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct File {
    /// Relative to the folder of plugins or templates.
    pub(crate) below: BString,
    pub(crate) is_template: bool,
    pub(crate) what: &'static str,
}

/// The files where `load_autoload` looks for a class, in order, given these plugin types.
pub(crate) fn files(class: &BStr, types: &[BString]) -> Vec<File> {
    let name = class.replace("\\", "/");
    let mut files = Vec::new();
    for (prefix, is_template, what) in [
        (&b"dokuwiki/plugin/"[..], false, "DokuWiki's namespace of plugins"),
        (b"dokuwiki/template/", true, "DokuWiki's namespace of templates"),
    ] {
        if name.starts_with(prefix) {
            // In the whole name, before its beginning is cut off.
            let name = name.replace("/test/", "/_test/");
            let below = BString::from([&name[prefix.len()..], b".php"].concat());
            files.push(File { below, is_template, what });
        }
    }
    if let Some(below) = of_plugin(&name, types) {
        files.push(File { below, is_template: false, what: "DokuWiki's name of a plugin's class" });
    }
    files
}

/// `TYPE_plugin_NAME` and `TYPE_plugin_NAME_COMPONENT`; neither part has a `_`.
fn of_plugin(name: &[u8], types: &[BString]) -> Option<BString> {
    types.iter().find_map(|kind| {
        let rest = name.strip_prefix(kind.as_slice())?.strip_prefix(b"_plugin_")?;
        let (plugin, component) = match rest.split_once_str("_") {
            Some((plugin, component)) => (plugin, Some(component)),
            None => (rest, None),
        };
        let is_name = |plugin: &[u8]| {
            !plugin.is_empty() && plugin.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x7f)
        };
        let is_component = |component: &[u8]| !component.is_empty() && !component.contains(&b'_');
        if !is_name(plugin) || !component.is_none_or(is_component) {
            return None;
        }
        let mut below = BString::from([plugin, b"/", kind].concat());
        if let Some(component) = component {
            below.push(b'/');
            below.extend_from_slice(component);
        }
        below.extend_from_slice(b".php");
        Some(below)
    })
}

#[cfg(test)]
mod tests;
