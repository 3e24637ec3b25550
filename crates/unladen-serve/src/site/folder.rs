//! The principal type is [`Folder`]: a folder of files as configured for a site or route.

pub(crate) mod hot_files;
mod htaccess;
mod look;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use unladen_files::{Lifetimes, PrivateNames, Root, RootError, Rules, ScriptNames, Try};
use unladen_serve_config as settings;
use unladen_serve_config::{FilesSettings, FolderSettings};

use self::hot_files::HotFiles;

pub(crate) use htaccess::ToldByHtaccess;
pub(crate) use look::{Looked, Sendable};

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
    ///
    /// # Errors
    /// It cannot be opened.
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

#[cfg(test)]
mod tests;
