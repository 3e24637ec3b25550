//! The effect of one call in a settings file: what a [`Follower`] does with an [`At`].

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use super::{At, Follower, LEFT};
use crate::Problem;
use crate::php::constant::Value;
use crate::readers::path::plain;
use crate::readers::settings_calls::{CLASSES, INCLUDE, NAMESPACES, OLD_CLASS, QUEUE};

impl Follower<'_> {
    pub(super) fn call(&mut self, at: &At<'_>) {
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

    pub(super) fn unclear(&mut self, at: &At<'_>) {
        // Extensions from before manifests include files of their own, which load no other extension.
        let is_extension = ["extensions", "skins"].iter().any(|own| at.file.starts_with(self.root.join(own)));
        if at.call.name == INCLUDE && is_extension {
            return;
        }
        let what = match at.call.name.as_str() {
            INCLUDE => "includes a file that cannot be told from here: if it loads extensions, their classes are left to MediaWiki's \
                        own loader"
                .to_owned(),
            NAMESPACES | CLASSES => "adds to the AutoLoader what cannot be told from here: if MediaWiki finds classes in two \
                                     places, the map may name the other one; write it with constants"
                .to_owned(),
            QUEUE => format!("queues an extension that cannot be told from here: {LEFT}"),
            name => format!("{name}() loads what cannot be told from here: {LEFT}; name it by a constant string"),
        };
        // No failure: its author wants it so, and the map is right without.
        self.settings.open = true;
        self.settings.problems.push(Problem::at(at.file, at.call.line, what));
    }
}
