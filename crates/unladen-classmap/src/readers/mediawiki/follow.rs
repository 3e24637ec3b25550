//! Follows a settings file and its includes. The principal type is [`Follower`].

mod call;

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use bstr::ByteSlice;

use super::settings::Settings;
use crate::Problem;
use crate::map::OWN_CLASS;
use crate::php::constant::{Call, Value, assigned, calls};
use crate::readers::mediawiki::core::read;
use crate::readers::path::plain;
use crate::readers::settings_calls::{CLASSES, INCLUDE, NAMESPACES, OLD_CLASS, QUEUE, as_calls};

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
            let what = format!("was not followed: more than {DEEPEST} files in one another, or {MOST} in all; {LEFT}");
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
        let root = self.root.as_os_str().as_bytes();
        let mut quoted = Vec::with_capacity(root.len());
        for byte in root {
            if matches!(byte, b'\\' | b'\'') {
                quoted.push(b'\\');
            }
            quoted.push(*byte);
        }
        let quoted = quoted.as_slice();
        [b"<?php define('MW_INSTALL_PATH', '", quoted, b"'); $IP = '", quoted, b"'; ?>", source].concat()
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
            let what = format!("includes {}, which is not there", path.display());
            self.settings.problems.push(Problem::at(at.file, at.call.line, what));
        }
    }

    fn lost(&mut self, problem: Problem) {
        self.settings.open = true;
        self.settings.problems.push(problem.hiding());
    }
}
