//! [`place`]: the default path of a map.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use nix::unistd::geteuid;
use unladen_prove::outsider;

const NAME: &str = "unladen-classmap.php";
/// Folder for maps of packaged applications, each below the path of its application.
const KEPT: &str = "/var/lib/unladen";

/// In the application's folder, by default. Below `/usr`, a package owns the folder, replaces it with each version, and
/// it may not be writable: the map is kept with the system's other data, unless the folder has one already.
pub(super) fn place(root: &Path) -> PathBuf {
    let inside = root.join(NAME);
    let real = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    match kept(&real) {
        Some(kept) if !inside.exists() => kept,
        _ => inside,
    }
}

/// Without links.
pub(super) fn kept(root: &Path) -> Option<PathBuf> {
    let is_packaged = root.starts_with("/usr") && !root.starts_with("/usr/local");
    let below = root.strip_prefix("/").ok().filter(|_| is_packaged)?;
    Some(Path::new(KEPT).join(below).join(NAME))
}

/// Makes the folder of such a map, for all to enter, since PHP's workers run as other users.
pub(super) fn make_folder(map: &Path) -> io::Result<()> {
    let below = map.parent().and_then(|folder| folder.strip_prefix(KEPT).ok());
    let Some(below) = below.filter(|below| !below.as_os_str().is_empty()) else { return Ok(()) };
    if geteuid().is_root() && map.parent().is_some_and(|folder| outsider(folder).is_some()) {
        let what = "another user may write there, and PHP runs it: name a file with --output";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, what));
    }
    let mut folder = PathBuf::from(KEPT);
    for part in std::iter::once(Path::new("")).chain(below.iter().map(Path::new)) {
        folder.push(part);
        match fs::create_dir(&folder) {
            Ok(()) => fs::set_permissions(&folder, fs::Permissions::from_mode(0o755))?,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Lets PHP's workers read it, whoever wrote it and with whatever umask: it holds nothing but names.
pub(super) fn open_for_all(map: &Path) -> io::Result<()> {
    match is_kept(map) {
        true => fs::set_permissions(map, fs::Permissions::from_mode(0o644)),
        false => Ok(()),
    }
}

/// Whether the map's place is below [`KEPT`], in a folder that is made when the map is written.
pub(super) fn is_kept(map: &Path) -> bool {
    map.starts_with(KEPT)
}

/// The path without a trailing `/`, and without `..` where it can be removed.
pub(super) fn plain(path: &Path) -> PathBuf {
    let path: PathBuf = path.components().collect();
    if path.components().any(|part| part == std::path::Component::ParentDir) {
        return path.canonicalize().unwrap_or(path);
    }
    path
}

/// The map names its own folder as `__DIR__`, in which PHP has no `..`.
pub(super) fn absolute(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) => plain(folder).join(name),
        _ => path,
    }
}

#[cfg(test)]
mod tests;
