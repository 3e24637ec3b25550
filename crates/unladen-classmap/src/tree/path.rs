//! Paths as bytes.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use bstr::{BStr, BString, ByteVec};

pub(super) fn joined(folder: &BString, name: &[u8]) -> BString {
    let mut path = Vec::with_capacity(folder.len() + 1 + name.len());
    path.push_str(folder);
    path.push(b'/');
    path.push_str(name);
    path.into()
}

pub(super) fn path_of(bytes: &BString) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}

pub(crate) fn is_below(file: &BStr, path: &Path) -> bool {
    let folder = path.as_os_str().as_bytes();
    file.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/") || folder.ends_with(b"/"))
}

/// Whether a file of that name is always read: what Composer takes for PHP, too.
pub(crate) fn is_php(name: &[u8]) -> bool {
    name.ends_with(b".php") || name.ends_with(b".inc")
}
