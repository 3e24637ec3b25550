//! [`of_php_fpm`]: the sockets of PHP-FPM on this machine.

use std::os::unix::fs::FileTypeExt;
use std::path::PathBuf;

/// Where Debian's pools have theirs.
const FOLDER: &str = "/run/php";
/// Nobody would read more.
const MOST: usize = 8;

/// The sockets of PHP-FPM's pools, sorted by name. A link to another of them is left out.
pub(super) fn of_php_fpm() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(FOLDER).into_iter().flatten().flatten();
    let is_socket = |entry: &std::fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_socket());
    let mut found: Vec<PathBuf> = entries.filter(is_socket).map(|entry| entry.path()).collect();
    found.retain(|path| path.extension().is_some_and(|extension| extension == "sock"));
    found.sort_unstable();
    found.truncate(MOST);
    found
}
