//! Composer's loaders in plugins. The principal function is [`vendors`].

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::composer;

/// Their folders within a plugin.
const VENDORS: [&str; 3] = ["vendor", "lib/vendor", "includes/vendor"];

/// All folders with a Composer loader in the plugin folders below `parents`, by path.
pub(super) fn vendors<'a>(parents: impl IntoIterator<Item = &'a Path>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for parent in parents {
        let names = std::fs::read_dir(parent).into_iter().flatten().flatten();
        let folders = names.flat_map(|name| VENDORS.map(|vendor| name.path().join(vendor)));
        found.extend(folders.filter(|folder| folder.join("autoload.php").is_file() && composer::is_dumped(folder)));
    }
    found.sort_by(|one, other| one.as_os_str().as_bytes().cmp(other.as_os_str().as_bytes()));
    found.dedup();
    found
}
