//! Bytes as PHP's constant strings.

/// In single quotes, where only `'` and `\` are special; all other bytes, line ends too, stand for themselves.
pub(crate) fn string(text: &mut Vec<u8>, bytes: &[u8]) {
    text.push(b'\'');
    let mut done = 0;
    for at in memchr::memchr2_iter(b'\'', b'\\', bytes) {
        text.extend_from_slice(&bytes[done..at]);
        text.push(b'\\');
        done = at;
    }
    text.extend_from_slice(&bytes[done..]);
    text.push(b'\'');
}

/// A path, relative to the PHP file's own folder if below it, so that both can be moved, or switched by a link,
/// together. PHP joins the two when it compiles the file.
pub(super) fn path(text: &mut Vec<u8>, path: &[u8], folder: &[u8]) {
    let folder = folder.strip_suffix(b"/").unwrap_or(folder);
    match path.strip_prefix(folder) {
        // Of an application in `/`, too, the rest begins with `/`; of `/a` and `/ab/c`, it does not.
        Some(rest) if rest.starts_with(b"/") => {
            text.extend(b"__DIR__ . ");
            string(text, rest);
        }
        _ => string(text, path),
    }
}
