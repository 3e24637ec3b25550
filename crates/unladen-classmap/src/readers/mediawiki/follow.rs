//! Follows a settings file and its includes. The principal type is [`Follower`].

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use bstr::{BString, ByteSlice};

use crate::Problem;
use crate::php::constant::{Call, Value, assigned, calls};
use crate::php::string::literal;
use crate::readers::mediawiki::core::read;
use crate::readers::path::plain;
use crate::readers::settings_calls::{CLASSES, INCLUDE, NAMESPACES, OLD_CLASS, QUEUE, as_calls};
use crate::tree::OWN_CLASS;

/// Limits on nested includes, and on files in all.
const DEEPEST: usize = 16;
const MOST: usize = 1000;
/// Files that are never followed: MediaWiki's own load no extension, and the map itself is made from all this.
const MAP: &str = "unladen-classmap.php";
const OWN: [&str; 4] = ["includes", "languages", "maintenance", "vendor"];
const NAMES: [&str; 9] = [
    "wfLoadExtension",
    "wfLoadExtensions",
    "wfLoadSkin",
    "wfLoadSkins",
    INCLUDE,
    NAMESPACES,
    CLASSES,
    OLD_CLASS,
    QUEUE,
];
const LEFT: &str = "its classes are left to MediaWiki's own loader";

/// Settings from `file` and its includes. MediaWiki is in `root`, which has no symbolic links.
pub(super) fn settings(file: &Path, root: &Path) -> Settings {
    let mut settings = Settings::default();
    Follower::new(root, &mut settings).follow(file, false, 0);
    settings
}

struct Follower<'a> {
    root: &'a Path,
    seen: BTreeSet<PathBuf>,
    settings: &'a mut Settings,
}

struct At<'a> {
    file: &'a Path,
    call: &'a Call,
    conditional: bool,
    depth: usize,
}

impl<'a> Follower<'a> {
    fn new(root: &'a Path, settings: &'a mut Settings) -> Self {
        Self { root, seen: BTreeSet::new(), settings }
    }

    fn follow(&mut self, file: &Path, conditional: bool, depth: usize) {
        // PHP's `__DIR__` has no symbolic links, and what is included twice is mostly included once.
        let real = file.canonicalize().unwrap_or_else(|_| file.to_owned());
        if !self.seen.insert(real.clone()) {
            return;
        }
        let source = read(&real);
        if source.as_ref().is_ok_and(|source| source.contains_str(OWN_CLASS)) {
            return;
        }
        self.settings.inputs.push(file.to_owned());
        if depth > DEEPEST || self.seen.len() > MOST {
            let what = format!("was not followed: more than {DEEPEST} nested files, or {MOST} in total; {LEFT}");
            return self.lost(Problem::of(file, what));
        }
        let source = match source {
            Ok(source) => self.told(&as_calls(&source)),
            Err(problem) => return self.lost(problem),
        };
        let calls = match calls(&source, &real, &NAMES, &self.known()) {
            Ok(calls) => calls,
            Err(problem) => return self.lost(problem),
        };
        for folder in ["wgExtensionDirectory", "wgStyleDirectory"] {
            let usual = Some(Value::String(self.folder(folder).as_os_str().as_bytes().into()));
            if !assigned(&source, &real, &format!("${folder}")).is_ok_and(|value| value.is_none() || value == usual) {
                let what =
                    format!("sets ${folder}, which is not followed: extensions are looked for in the usual folder");
                self.lost(Problem::of(file, what));
            }
        }
        for call in &calls {
            self.call(&At { file, call, conditional: conditional || call.conditional, depth });
        }
    }

    /// Adds the constants that MediaWiki has defined by then, on the first line.
    fn told(&self, source: &[u8]) -> Vec<u8> {
        let mut root = Vec::new();
        literal(&mut root, self.root.as_os_str().as_bytes());
        [b"<?php define('MW_INSTALL_PATH', ", root.as_slice(), b"); $IP = ", &root, b"; ?>", source].concat()
    }

    fn known(&self) -> [(&'static str, Value); 4] {
        let of = |path: &Path| Value::String(path.as_os_str().as_bytes().into());
        let folder = |name| (name, of(&self.folder(name)));
        [
            ("IP", of(self.root)),
            ("wgBaseDirectory", of(self.root)),
            folder("wgExtensionDirectory"),
            folder("wgStyleDirectory"),
        ]
    }

    fn folder(&self, variable: &str) -> PathBuf {
        self.root.join(if variable == "wgStyleDirectory" { "skins" } else { "extensions" })
    }

    fn include(&mut self, at: &At<'_>, path: &[u8]) {
        let path = plain(path);
        if !path.is_absolute() {
            return self.unclear(at);
        }
        if path.ends_with(MAP) || OWN.iter().any(|own| path.starts_with(self.root.join(own))) {
            return;
        }
        let folder = path.parent().unwrap_or(&path);
        if path.ends_with("autoload.php") && folder.join("composer").is_dir() {
            let list = if at.conditional { &mut self.settings.perhaps } else { &mut self.settings.vendors };
            return list.push(folder.to_owned());
        }
        if path.is_file() {
            self.follow(&path, at.conditional, at.depth + 1);
        } else if !at.conditional {
            let what = format!("includes {}, which does not exist", path.display());
            self.settings.problems.push(Problem::at(at.file, at.call.line, what));
        }
    }

    fn lost(&mut self, problem: Problem) {
        self.settings.open = true;
        self.settings.problems.push(problem.hiding());
    }
}

impl Follower<'_> {
    fn call(&mut self, at: &At<'_>) {
        let first = at.call.args.first().and_then(Option::as_ref);
        let (variable, file) = match at.call.name.as_str() {
            "wfLoadSkin" | "wfLoadSkins" => ("wgStyleDirectory", "skin.json"),
            _ => ("wgExtensionDirectory", "extension.json"),
        };
        let folder = self.folder(variable);
        let named = |name: &[u8]| folder.join(OsStr::from_bytes(name)).join(file);
        match (at.call.name.as_str(), first) {
            (INCLUDE, Some(Value::String(path))) => self.include(at, path),
            (QUEUE, Some(Value::String(path))) => self.load(at, plain(path)),
            (NAMESPACES | CLASSES, Some(value)) => self.add(at, value),
            (OLD_CLASS, Some(Value::String(class))) => {
                if let (Some(Some(Value::String(file))), false) = (at.call.args.get(1), at.conditional) {
                    self.settings.old_classes.push((at.file.to_owned(), class.clone(), file.clone()));
                }
            }
            // MediaWiki's own loader still finds what is not in the map.
            (OLD_CLASS, _) => {}
            ("wfLoadExtension" | "wfLoadSkin", Some(Value::String(name))) => match at.call.args.get(1) {
                // PHP's `!$path`
                None | Some(Some(Value::Null | Value::Bool(false))) => self.load(at, named(name)),
                Some(Some(Value::String(path))) if path.is_empty() => self.load(at, named(name)),
                Some(Some(Value::String(path))) => self.load(at, plain(path)),
                Some(_) => self.unclear(at),
            },
            ("wfLoadExtensions" | "wfLoadSkins", Some(Value::Array(names))) => {
                for (_, name) in names {
                    match name.as_str() {
                        Some(name) => self.load(at, named(name)),
                        None => self.unclear(at),
                    }
                }
            }
            _ => self.unclear(at),
        }
    }

    fn load(&mut self, at: &At<'_>, manifest: PathBuf) {
        if !manifest.is_absolute() {
            return self.unclear(at);
        }
        if !at.conditional {
            if !self.settings.loaded.contains(&manifest) {
                self.settings.loaded.push(manifest);
            }
            return;
        }
        let what = format!("{} is loaded on a condition, which is not followed: {LEFT}", manifest.display());
        self.settings.problems.push(Problem::at(at.file, at.call.line, what));
        self.settings.perhaps.push(manifest);
    }

    fn add(&mut self, at: &At<'_>, value: &Value) {
        let pairs: Option<Vec<(&[u8], &[u8])>> = value
            .as_array()
            .and_then(|pairs| pairs.iter().map(|(name, to)| Some((name.as_str()?, to.as_str()?))).collect());
        let Some(pairs) = pairs.filter(|_| !at.conditional) else { return self.unclear(at) };
        for (name, to) in pairs {
            if at.call.name == CLASSES {
                self.settings.classes.push((at.file.to_owned(), name.into(), to.into()));
            } else {
                self.settings.namespaces.push((name.into(), to.into()));
            }
        }
    }

    fn unclear(&mut self, at: &At<'_>) {
        // Extensions from before manifests include files of their own, which load no other extension.
        let is_extension = ["extensions", "skins"].iter().any(|own| at.file.starts_with(self.root.join(own)));
        if at.call.name == INCLUDE && is_extension {
            return;
        }
        let what = match at.call.name.as_str() {
            INCLUDE => "includes a file whose path is not known here: if it loads extensions, their classes are left \
                        to MediaWiki's own loader"
                .to_owned(),
            NAMESPACES | CLASSES => "adds entries to the AutoLoader that are not known here: if MediaWiki finds \
                                     classes in two places, the map may name the other one; write them with constants"
                .to_owned(),
            QUEUE => format!("queues an extension that is not known here: {LEFT}"),
            name => format!("{name}() loads something that is not known here: {LEFT}; name it with a constant string"),
        };
        // No failure: its author wants it so, and the map is right without.
        self.settings.open = true;
        self.settings.problems.push(Problem::at(at.file, at.call.line, what));
    }
}

/// Which extensions and skins LocalSettings.php loads: the effects of its calls, in order.
#[derive(Debug, Default)]
pub(super) struct Settings {
    /// Manifests that are certainly loaded.
    pub(super) loaded: Vec<PathBuf>,
    /// Conditionally loaded manifests and folders of Composer's loaders.
    pub(super) perhaps: Vec<PathBuf>,
    /// Whether code that was not followed may load further extensions.
    pub(super) open: bool,
    pub(super) vendors: Vec<PathBuf>,
    /// Classes added to the AutoLoader by hand, with the file that does so.
    pub(super) classes: Vec<(PathBuf, BString, BString)>,
    /// The same in `$wgAutoloadClasses`.
    pub(super) old_classes: Vec<(PathBuf, BString, BString)>,
    pub(super) namespaces: Vec<(BString, BString)>,
    pub(super) inputs: Vec<PathBuf>,
    pub(super) problems: Vec<Problem>,
}
