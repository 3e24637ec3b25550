//! [`doubts`]: checks in advance what would prevent reading or writing a snapshot.

use std::path::Path;

use nix::unistd::{AccessFlags, access};

use super::file::{FileError, SnapshotFile, new_path};

/// One sentence for each problem with a site's file. Writes nothing.
pub(crate) fn doubts(path: &Path) -> Vec<String> {
    let mut doubts = Vec::new();
    let shown = path.display();
    for path in [path.to_owned(), new_path(path)] {
        match SnapshotFile::open(&path) {
            // Wrong content is reported when it is read, and the file is written anew.
            Ok(_) | Err(FileError::Content(_)) => {}
            Err(error) => doubts.push(format!("the snapshot {} cannot be used: {error}", path.display())),
        }
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        let to = "`mkdir` makes it (`StateDirectory=` of systemd does, too)";
        doubts.push(format!("the snapshot {shown} cannot be written: its folder is not there; {to}"));
    } else if let Err(error) = access(folder, AccessFlags::W_OK | AccessFlags::X_OK) {
        doubts.push(format!("the snapshot {shown} cannot be written into its folder: {}", error.desc()));
    }
    doubts
}
