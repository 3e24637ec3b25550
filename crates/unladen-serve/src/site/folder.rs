//! The principal type is [`Folder`]: a folder of files as configured for a site or route.

pub(crate) mod hot_files;
mod look;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use unladen_files::{Denial, HtaccessSeen, Lifetimes, PrivateNames, Root, RootError, Rules, ScriptNames, Try};
use unladen_serve_config as settings;
use unladen_serve_config::{FilesSettings, FolderSettings};

use self::hot_files::HotFiles;

pub(crate) use self::look::{Looked, Sendable};

#[derive(Debug)]
pub(crate) struct Folder {
    pub(crate) root: Root,
    pub(crate) rules: Rules,
    lifetimes: Lifetimes,
    precompressed: bool,
    /// Prefix of paths that is dropped.
    alias: Vec<u8>,
    hot: Option<HotFiles>,
}

/// Unique id of a folder, also after a reload.
static NEXT: AtomicU64 = AtomicU64::new(0);

impl Folder {
    /// `scripts`: endings of programs, which are never sent as files.
    pub(crate) fn new(folder: &FolderSettings, scripts: &[String], files: &FilesSettings) -> Result<Self, RootError> {
        let tries = folder.tries.iter().map(|next| match next {
            settings::Try::Path(behind) => Try::Path(behind.clone()),
            settings::Try::Folder => Try::Folder,
            settings::Try::Fixed(path) => match path.strip_prefix('=').map(str::parse) {
                Some(Ok(status)) => Try::Status(status),
                _ => Try::Fixed(path.clone()),
            },
        });
        let allowed: Vec<String> = files.allow.iter().filter_map(|pattern| beneath(pattern, &folder.alias)).collect();
        let rules = Rules {
            index: folder.index.clone(),
            tries: tries.collect(),
            scripts: ScriptNames::new(scripts.iter().cloned()),
            hidden: files.hidden,
            private: Some(PrivateNames::except(allowed.iter().map(String::as_str))),
        };
        let max_age = files.max_age.iter().map(|(pattern, age)| (pattern.as_str(), *age));
        Ok(Self {
            root: Root::open(&folder.root)?.with_links(files.links.iter().map(PathBuf::as_path))?,
            rules,
            lifetimes: Lifetimes::new(files.immutable.iter().map(String::as_str), max_age),
            precompressed: files.precompressed,
            alias: folder.alias.clone().into_bytes(),
            hot: files.memory.then(|| HotFiles::of(NEXT.fetch_add(1, Ordering::Relaxed))),
        })
    }

    /// Path of the site for a path beneath the root.
    pub(crate) fn name_of(&self, beneath: &[u8]) -> Vec<u8> {
        [&*self.alias, b"/", beneath].concat()
    }

    /// Whether `name` is the fallback for all paths: the last of `try`.
    pub(crate) fn is_last(&self, name: &[u8]) -> bool {
        self.rules.tries.last().is_some_and(|last| self.is_fixed(last, name))
    }

    fn is_of_any_path(&self, name: &[u8]) -> bool {
        self.rules.tries.iter().any(|one| self.is_fixed(one, name))
    }

    fn is_fixed(&self, one: &Try, name: &[u8]) -> bool {
        let Try::Fixed(fixed) = one else { return false };
        let beneath = name.strip_prefix(&*self.alias).and_then(|rest| rest.strip_prefix(b"/"));
        beneath == Some(fixed.trim_start_matches('/').as_bytes())
    }
}

/// Converts a pattern of the site's paths to paths beneath the root; `None` if no path there matches.
fn beneath(pattern: &str, alias: &str) -> Option<String> {
    if !pattern.starts_with('/') || pattern.strip_suffix('*').is_some_and(|start| alias.starts_with(start)) {
        return Some(if pattern.starts_with('/') && !alias.is_empty() { "/*".to_owned() } else { pattern.to_owned() });
    }
    pattern.strip_prefix(alias).filter(|rest| rest.starts_with('/')).map(str::to_owned)
}

/// Findings on the `.htaccess` files below a root, a sentence each.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ToldByHtaccess {
    /// Refused here as by Apache.
    pub(crate) notes: Vec<String>,
    /// Answered otherwise by Apache.
    pub(crate) doubts: Vec<String>,
}

impl Folder {
    pub(crate) fn told_by_htaccess(&self) -> ToldByHtaccess {
        let walk = self.root.each_htaccess(&self.rules);
        let mut told = ToldByHtaccess::default();
        for seen in &walk.seen {
            self.report(seen, &mut told);
        }
        if walk.is_cut {
            told.doubts.push(format!(
                "{}: it has more files or more `.htaccess` than are checked here; the rest is not listed, but the \
                 same rules apply to it",
                self.root.path().display()
            ));
        }
        told
    }

    fn report(&self, seen: &HtaccessSeen, told: &mut ToldByHtaccess) {
        let file = seen.file.display();
        let path = seen.path.as_deref().map(|path| {
            let whole = [&*self.alias, path].concat();
            String::from_utf8_lossy(&whole).into_owned()
        });
        let route = match &path {
            Some(path) => format!("a [[site.route]] with `path = {path:?}`"),
            None => "a [[site.route]] with the `path` that leads there".to_owned(),
        };
        if seen.is_open {
            told.doubts.push(format!("{file}: `files.allow` allows its folder, so `serve` ignores its restrictions"));
            return;
        }
        match seen.folder {
            Some(Denial::All(line)) => {
                let mut text = format!("{file}: line {line} refuses its folder, and so does `serve`: 403");
                if let Some(open) = opened(seen) {
                    // Writing to a String does not fail.
                    let _ = write!(text, "; {open}");
                }
                told.notes.push(text);
            }
            Some(Denial::Some(line)) => told.doubts.push(format!(
                "{file}: line {line} lets Apache send its folder only to some clients, but `serve` answers 403 to \
                 all; to allow some, use {route} and `access`, with `files.allow` for that path"
            )),
            Some(Denial::Unread) => told.doubts.push(format!(
                "{file}: it cannot be read, or is longer than 64 KiB, so `serve` answers 403 for everything in its \
                 folder; allow this process's user to read it"
            )),
            None => (),
        }
        for (names, denial) in &seen.files {
            match denial {
                Denial::All(line) => told
                    .notes
                    .push(format!("{file}: line {line} refuses files that match {names:?}, and so does `serve`: 403")),
                Denial::Some(line) => told.doubts.push(format!(
                    "{file}: line {line} lets Apache send files that match {names:?} only to some clients, but \
                     `serve` answers 403 to all; to allow some, use {route} and `access`, with `files.allow` for \
                     those files"
                )),
                Denial::Unread => (),
            }
        }
        let below = path.as_ref().map(|path| format!(", below {path:?}")).unwrap_or_default();
        for (line, text) in &seen.unclear {
            told.doubts.push(format!(
                "{file}: line {line}, {text:?}, may refuse something, but `serve` ignores it; add a [[site.route]] \
                 for what it refuses{below}, with `status = 403` or `access`"
            ));
        }
    }
}

/// Text on how many sections of a refused folder name files that are sent.
fn opened(seen: &HtaccessSeen) -> Option<String> {
    match seen.granted {
        0 => None,
        1 => Some("one of its sections allows some files, also here".to_owned()),
        count => Some(format!("{count} of its sections allow some files, also here")),
    }
}

#[cfg(test)]
mod tests;
