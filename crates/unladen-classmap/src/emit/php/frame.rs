//! The text around the arrays: the principal type is [`Frame`].

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use bstr::ByteSlice as _;
use xxhash_rust::xxh3::Xxh3Default;

const TEXT: &str = include_str!("loader.php");

pub(super) struct Frame {
    pub(super) classes: usize,
    pub(super) root: PathBuf,
    /// A line on how it was made, with its end; or empty.
    pub(super) made: String,
    pub(super) files: Vec<u8>,
    pub(super) names: Vec<u8>,
}

impl Frame {
    pub(super) fn fill(&self) -> Vec<u8> {
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

/// `root` relative to `folder`, unchanged if they have nothing in common. Both are absolute.
pub(crate) fn from(folder: &Path, root: &Path) -> PathBuf {
    let common = folder.components().zip(root.components()).take_while(|(a, b)| a == b).count();
    if common == 1 && folder != Path::new("/") {
        return root.to_owned();
    }
    let up = folder.components().skip(common).map(|_| Component::ParentDir);
    let relative: PathBuf = up.chain(root.components().skip(common)).collect();
    if relative.as_os_str().is_empty() { PathBuf::from(".") } else { relative }
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
