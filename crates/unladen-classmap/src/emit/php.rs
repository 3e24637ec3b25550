//! The map as a PHP file that loads the classes itself. The principal function is [`php`].
//!
//! Its guarantees and their reasons are in `php/loader.php`, its frame; `tests/loader/` checks them in real PHP.
//!
//! The arrays are written in full, without `array_map` and without constants joined at run time: an array that PHP has
//! to evaluate is copied in each request. Lower-case names map to names, not to paths: without opcache, PHP compiles
//! all of this in each request.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use bstr::ByteSlice as _;
use xxhash_rust::xxh3::Xxh3Default;

use crate::check::from;
use crate::php::string::literal;
use crate::{Made, Map};

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
        item(&mut files, &entry.class, |text| path(text, &entry.path, folder.as_os_str().as_bytes()));
        // Bytes above ASCII have no case in PHP's names.
        item(&mut names, &entry.class.to_ascii_lowercase(), |text| literal(text, &entry.class));
    }
    Frame { classes: map.entries.len(), root: from(folder, root), made, files, names }.fill()
}

fn item(array: &mut Vec<u8>, key: &[u8], value: impl FnOnce(&mut Vec<u8>)) {
    array.extend(b"    ");
    literal(array, key);
    array.extend(b" => ");
    value(array);
    array.extend(b",\n");
}

/// A path, relative to the PHP file's own folder if below it, so that both can be moved, or switched by a link,
/// together. PHP joins the two when it compiles the file.
fn path(text: &mut Vec<u8>, path: &[u8], folder: &[u8]) {
    let folder = folder.strip_suffix(b"/").unwrap_or(folder);
    match path.strip_prefix(folder) {
        // Of an application in `/`, too, the rest begins with `/`; of `/a` and `/ab/c`, it does not.
        Some(rest) if rest.starts_with(b"/") => {
            text.extend(b"__DIR__ . ");
            literal(text, rest);
        }
        _ => literal(text, path),
    }
}

const TEXT: &str = include_str!("php/loader.php");

/// What the text around the arrays is filled with.
struct Frame {
    classes: usize,
    root: PathBuf,
    /// A line on how it was made, with its end; or empty.
    made: String,
    files: Vec<u8>,
    names: Vec<u8>,
}

impl Frame {
    fn fill(&self) -> Vec<u8> {
        let count = self.classes.to_string();
        let root = comment(&self.root);
        // Two maps in one process must not share a name; and a changed map reports its problems again.
        let digest = format!("{:016x}", digest(&[TEXT.as_bytes(), &self.files, &self.names]));
        let mut file = Vec::with_capacity(TEXT.len() + self.files.len() + self.names.len() + 256);
        // Every other piece names what goes there: the frame has no `@` of its own.
        for (number, piece) in TEXT.split('@').enumerate() {
            let filling: &[u8] = match piece {
                _ if number % 2 == 0 => piece.as_bytes(),
                "count" => count.as_bytes(),
                "root" => &root,
                "made" => self.made.as_bytes(),
                "digest" => digest.as_bytes(),
                "files" => &self.files,
                _ => &self.names,
            };
            file.extend(filling);
        }
        file
    }
}

/// For a one-line comment, which neither a line's end nor PHP's end mark may end.
fn comment(path: &Path) -> Vec<u8> {
    let mut text = path.as_os_str().as_bytes().replace("?>", "?_");
    for byte in &mut text {
        if byte.is_ascii_control() {
            *byte = b'_';
        }
    }
    text
}

/// Not cryptographic: nobody gains from two maps with the same digest.
fn digest(parts: &[&[u8]]) -> u64 {
    let mut digest = Xxh3Default::new();
    parts.iter().for_each(|part| digest.update(part));
    digest.digest()
}

#[cfg(test)]
mod tests;
