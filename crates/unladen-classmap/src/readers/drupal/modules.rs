//! The modules and profiles in Drupal's folders. The principal type is [`Modules`].

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use bstr::ByteSlice;

use crate::Problem;

/// Their places below the web root; those of sites come in addition.
const PLACES: [&str; 4] = ["core/modules", "core/profiles", "modules", "profiles"];
const OF_A_SITE: [&str; 2] = ["modules", "profiles"];
/// Folders with many files in which Drupal does not look for modules.
const PASSED_OVER: [&[u8]; 14] = [
    b"src",
    b"lib",
    b"vendor",
    b"assets",
    b"css",
    b"files",
    b"images",
    b"js",
    b"misc",
    b"templates",
    b"includes",
    b"fixtures",
    b"tests",
    b"node_modules",
];
/// Limits on depth, number of folders, and bytes read of a file: Drupal needs no more.
const DEEPEST: usize = 8;
const MOST_FOLDERS: usize = 50_000;
const MOST_BYTES: u64 = 64 << 10;
const INFO: &[u8] = b".info.yml";

#[derive(Debug, Default)]
pub(super) struct Modules {
    pub(super) found: BTreeMap<String, PathBuf>,
    pub(super) inputs: Vec<PathBuf>,
    pub(super) problems: Vec<Problem>,
}

#[derive(Default)]
struct Search {
    found: BTreeMap<String, BTreeSet<PathBuf>>,
    seen: BTreeSet<PathBuf>,
    inputs: Vec<PathBuf>,
}

impl Modules {
    pub(super) fn of(served: &Path) -> Self {
        let mut search = Search::default();
        for place in PLACES {
            search.look(&served.join(place), DEEPEST);
        }
        for site in std::fs::read_dir(served.join("sites")).into_iter().flatten().flatten() {
            for place in OF_A_SITE {
                search.look(&site.path().join(place), DEEPEST);
            }
        }
        let mut modules = Self { inputs: search.inputs, ..Self::default() };
        if search.seen.len() >= MOST_FOLDERS {
            let what = format!("more than {MOST_FOLDERS} folders: modules beyond those are not seen");
            modules.problems.push(Problem::of(served, what).hiding());
        }
        for (name, folders) in search.found {
            let folders: Vec<PathBuf> = folders.into_iter().collect();
            match <[PathBuf; 1]>::try_from(folders) {
                Ok([folder]) => {
                    modules.found.insert(name, folder);
                }
                Err(folders) => {
                    let what = format!(
                        "`{name}` is there {} times: its classes are left to Drupal's own loader",
                        folders.len()
                    );
                    modules.problems.extend(folders.first().map(|folder| Problem::of(folder, what)));
                }
            }
        }
        modules
    }
}

impl Search {
    fn look(&mut self, folder: &Path, deep: usize) {
        let Ok(real) = folder.canonicalize() else { return };
        if self.seen.len() >= MOST_FOLDERS || !self.seen.insert(real) {
            return;
        }
        let mut below = Vec::new();
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let (name, path) = (entry.file_name(), entry.path());
            let name = name.as_encoded_bytes();
            if let Some(module) = name.strip_suffix(INFO).and_then(|name| name.to_str().ok()) {
                if is_name(module) && is_module(&path) {
                    self.inputs.push(path);
                    self.found.entry(module.to_owned()).or_default().insert(folder.to_owned());
                }
            } else if !name.starts_with(b".") && !PASSED_OVER.contains(&name) && path.is_dir() {
                below.push(path);
            }
        }
        below.sort();
        if deep > 0 {
            below.iter().for_each(|folder| self.look(folder, deep - 1));
        }
    }
}

/// A valid name for a PHP function: it is a part of the namespace.
fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Whether the file is that of a module or a profile: classes of themes are not loaded this way.
fn is_module(file: &Path) -> bool {
    use std::io::Read;

    let mut text = Vec::new();
    let read = std::fs::File::open(file).and_then(|open| open.take(MOST_BYTES).read_to_end(&mut text));
    read.is_ok()
        && text.lines().filter_map(|line| line.strip_prefix(b"type:")).any(|value| {
            let value = value.split_once_str(" #").map_or(value, |(value, _)| value).trim_ascii();
            let plain = value.trim_with(|letter| matches!(letter, '\'' | '"'));
            matches!(plain, b"module" | b"profile")
        })
}
