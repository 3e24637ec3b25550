//! The principal type is [`Sources`]: the files of one crate.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The files of one crate, by their paths.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: BTreeMap<String, String>,
    roots: Vec<String>,
}

impl Sources {
    /// Of a made-up crate, whose roots are `lib.rs` and `main.rs`.
    pub fn made_up(files: &[(&str, &str)]) -> Self {
        let files: BTreeMap<String, String> =
            files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        let roots = ["lib.rs", "main.rs"].into_iter().filter(|root| files.contains_key(*root));
        Self { roots: roots.map(str::to_owned).collect(), files }
    }

    /// All that is below the folder `src` of a member of a workspace. The roots are those that cargo finds there without
    /// being told, and those that the manifest names. Paths are relative to the workspace.
    ///
    /// # Panics
    /// When a file cannot be read.
    pub fn of_member(workspace: &Path, member: &str) -> Self {
        let folder = workspace.join(member);
        let mut files = BTreeMap::new();
        read(&folder.join("src"), &format!("{member}/src/"), &mut files);
        let manifest = folder.join("Cargo.toml");
        let manifest = fs::read_to_string(&manifest).unwrap_or_else(|error| panic!("{}: {error}", manifest.display()));
        let named = manifest.lines().filter_map(|line| line.strip_prefix("path = \"")?.strip_suffix('"'));
        let named: Vec<&str> = named.collect();
        let is_root = |path: &str| {
            let name = path.strip_prefix(member).unwrap_or_default().trim_start_matches('/');
            matches!(name, "src/lib.rs" | "src/main.rs")
                || name.strip_prefix("src/bin/").is_some_and(|rest| !rest.contains('/') || rest.ends_with("/main.rs"))
                || named.contains(&name)
        };
        Self { roots: files.keys().filter(|name| is_root(name)).cloned().collect(), files }
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    pub(super) fn roots(&self) -> impl Iterator<Item = &str> {
        self.roots.iter().map(String::as_str)
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.files.get(name).map(String::as_str)
    }
}

fn read(folder: &Path, prefix: &str, files: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.unwrap_or_else(|error| panic!("{}: {error}", folder.display())).path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        if path.is_dir() {
            read(&path, &format!("{prefix}{name}/"), files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            files.insert(format!("{prefix}{name}"), text);
        }
    }
}
