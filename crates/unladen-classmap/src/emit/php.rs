//! The map as a PHP file that loads the classes itself. The principal function is [`php`].
//!
//! Its guarantees and their reasons are in `php/loader.php`, its frame; `tests/loader/` checks them in real PHP.
//!
//! The arrays are written in full, without `array_map` and without constants joined at run time: an array that PHP has
//! to evaluate is copied in each request. Lower-case names map to names, not to paths: without opcache, PHP compiles
//! all of this in each request.

mod frame;
mod literal;

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use crate::{Made, Map};
use frame::Frame;
pub(crate) use frame::from;
pub(crate) use literal::string as string_literal;

/// The PHP file to be written to `target`, for the application in `root`; both are absolute. The same map gives the
/// same bytes, wherever it and the application lie together.
pub fn php(map: &Map, target: &Path, root: &Path) -> Vec<u8> {
    fill(map, target, root, String::new())
}

/// The same, with a line at its head that says how it was made, so that checking it needs no options.
pub fn php_made(map: &Map, target: &Path, root: &Path, made: &Made) -> Vec<u8> {
    fill(map, target, root, made.line(target))
}

fn fill(map: &Map, target: &Path, root: &Path, made: String) -> Vec<u8> {
    let folder = target.parent().unwrap_or(Path::new("/"));
    let (mut files, mut names) = (Vec::new(), Vec::new());
    for entry in &map.entries {
        item(&mut files, &entry.class, |text| literal::path(text, &entry.path, folder.as_os_str().as_bytes()));
        // Bytes above ASCII have no case in PHP's names.
        item(&mut names, &entry.class.to_ascii_lowercase(), |text| literal::string(text, &entry.class));
    }
    Frame { classes: map.entries.len(), root: frame::from(folder, root), made, files, names }.fill()
}

fn item(array: &mut Vec<u8>, key: &[u8], value: impl FnOnce(&mut Vec<u8>)) {
    array.extend(b"    ");
    literal::string(array, key);
    array.extend(b" => ");
    value(array);
    array.extend(b",\n");
}

#[cfg(test)]
mod tests;
