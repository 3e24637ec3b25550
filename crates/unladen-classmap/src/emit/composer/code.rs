//! Paths as Composer's PHP code. The principal type is [`Folders`].

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use bstr::ByteSlice;

/// The base folders of Composer's paths, without links.
#[derive(Debug)]
pub(super) struct Folders {
    pub(super) target: PathBuf,
    pub(super) vendor: PathBuf,
    pub(super) base: PathBuf,
}

#[derive(Debug)]
pub(super) struct Code {
    from: From,
    path: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum From {
    Vendor,
    Base,
    Root,
}

impl Folders {
    pub(super) fn vendor_code(&self) -> Vec<u8> {
        shortest_code(&self.target, &self.vendor, false)
    }

    pub(super) fn base_code(&self) -> Vec<u8> {
        shortest_code(&self.vendor, &self.base, false).replace("__DIR__", "$vendorDir")
    }

    pub(super) fn path(&self, file: &[u8]) -> Code {
        if let Some(below) = below(file, bytes(&self.vendor)) {
            return Code { from: From::Vendor, path: below.to_vec() };
        }
        let common = common(bytes(&self.base), file);
        let ups = depth(bytes(&self.base), common);
        if common == b"/" && ups > 1 {
            return Code { from: From::Root, path: file.to_vec() };
        }
        let mut path = b"/..".repeat(ups);
        path.push(b'/');
        path.extend(after(file, common));
        Code { from: From::Base, path }
    }

    /// The same in autoload_static.php, which has no variables.
    pub(super) fn static_path(&self, code: &Code, text: &mut Vec<u8>) {
        let phar = code.path.contains_str(".phar");
        let folder = match code.from {
            From::Vendor => Some(&self.vendor),
            From::Base => Some(&self.base),
            // Composer compares only the path here.
            From::Root => None,
        };
        if phar {
            text.extend(b"'phar://' . ");
        }
        match folder {
            Some(folder) => {
                text.extend(shortest_code(&self.target, folder, true));
                text.extend(b" . ");
                exported(text, &code.path);
            }
            None => exported(text, &code.path),
        }
    }
}

impl Code {
    pub(super) fn write(&self, text: &mut Vec<u8>) {
        if self.path.contains_str(".phar") {
            text.extend(b"'phar://' . ");
        }
        match self.from {
            From::Vendor => text.extend(b"$vendorDir . "),
            From::Base => text.extend(b"$baseDir . "),
            From::Root => {}
        }
        exported(text, &self.path);
    }
}

/// PHP code which, in a file in `from`, means the folder `to`.
fn shortest_code(from: &Path, to: &Path, is_static: bool) -> Vec<u8> {
    let (from, to) = (bytes(from), bytes(to));
    let mut text = Vec::new();
    if from == to {
        return b"__DIR__".to_vec();
    }
    if let Some(below) = below(to, from) {
        text.extend(b"__DIR__ . ");
        exported(&mut text, below);
        return text;
    }
    let common = common(from, to);
    let ups = depth(from, common);
    if common == b"/" && ups > 1 {
        exported(&mut text, to);
        return text;
    }
    if is_static {
        text.extend(b"__DIR__ . '");
        text.extend(b"/..".repeat(ups));
        text.push(b'\'');
    } else {
        text.extend(b"dirname(".repeat(ups));
        text.extend(b"__DIR__");
        text.extend(b")".repeat(ups));
    }
    let rest = after(to, common);
    if !rest.is_empty() {
        text.push(b'.');
        exported(&mut text, &[b"/", rest].concat());
    }
    text
}

/// The deepest common folder, `to` itself included.
fn common<'a>(from: &[u8], to: &'a [u8]) -> &'a [u8] {
    let mut common = to;
    while common != from && below(from, common).is_none() && common != b"/" {
        let end = common.rfind_byte(b'/').unwrap_or(0);
        common = common.get(..end.max(1)).unwrap_or(b"/");
    }
    common
}

fn depth(from: &[u8], common: &[u8]) -> usize {
    let rest = after(from, common);
    if rest.is_empty() { 0 } else { rest.iter().filter(|byte| **byte == b'/').count() + 1 }
}

fn after<'a>(path: &'a [u8], common: &[u8]) -> &'a [u8] {
    path.strip_prefix(common).map(|rest| rest.strip_prefix(b"/").unwrap_or(rest)).unwrap_or(path)
}

fn below<'a>(path: &'a [u8], folder: &[u8]) -> Option<&'a [u8]> {
    path.strip_prefix(folder).filter(|rest| rest.starts_with(b"/"))
}

fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_bytes()
}

/// A string as PHP's `var_export` writes it.
pub(super) fn exported(text: &mut Vec<u8>, value: &[u8]) {
    text.push(b'\'');
    for byte in value {
        if matches!(byte, b'\'' | b'\\') {
            text.push(b'\\');
        }
        text.push(*byte);
    }
    text.push(b'\'');
}
