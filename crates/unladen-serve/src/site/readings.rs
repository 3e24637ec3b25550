//! The principal type is [`Readings`]: the ways in which applications may read a path.

use unladen_files::{PathFault, RequestPath};

/// A path as routes see it, decoded once and without empty segments (`RequestPath`), and as others may read it. A
/// request whose readings lead to different routes is refused.
#[derive(Debug)]
pub(crate) struct Readings<'t> {
    pub(crate) path: RequestPath<'t>,
    /// Those of [`others`]; and for a path beginning with two slashes, all of them again without the first segment,
    /// which URL parsers take for a host. No duplicates.
    pub(crate) others: Vec<Vec<u8>>,
}

impl<'t> Readings<'t> {
    pub(crate) fn of(target: &'t [u8]) -> Result<Self, PathFault> {
        let path = RequestPath::parse(target)?;
        let mut others = others(path.bytes())?;
        // JavaScript's `new URL` takes `/\` for `//` (WHATWG URL, 4.4); some decode before they parse.
        if target.starts_with(b"//") || path.bytes().starts_with(b"/\\") || path.bytes().starts_with(b"/%2F") {
            let behind: Vec<_> =
                std::iter::once(path.bytes()).chain(others.iter().map(Vec::as_slice)).map(behind_host).collect();
            behind.into_iter().for_each(|reading| add(&mut others, path.bytes(), reading));
        }
        Ok(Self { path, others })
    }

    pub(crate) fn each(&self) -> impl Iterator<Item = &[u8]> {
        std::iter::once(self.path.bytes()).chain(self.others.iter().map(Vec::as_slice))
    }
}

/// How others may read a decoded path: with an encoded slash and `\` as slashes; without the parameters of segments
/// (`;` and what follows), ending at a literal slash or at any of these (RFC 3986, section 3.3; Java servers look for
/// them before decoding); decoded once more, whole or up to a possible query or fragment. No duplicates, and not the
/// path itself.
pub(super) fn others(path: &[u8]) -> Result<Vec<Vec<u8>>, PathFault> {
    let mut found = Vec::new();
    if !path.iter().any(|byte| b";\\%?#".contains(byte)) {
        return Ok(found);
    }
    for path_or_bare in [path, &without_parameters(path)] {
        let cut = path_or_bare.split(|byte| matches!(byte, b'?' | b'#')).next().unwrap_or_default();
        for reading in [path_or_bare.to_vec(), decode_again(path_or_bare), decode_again(cut)] {
            add(&mut found, path, fold(&reading)?);
        }
    }
    Ok(found)
}

fn add(found: &mut Vec<Vec<u8>>, path: &[u8], reading: Vec<u8>) {
    if reading != path && !found.contains(&reading) {
        found.push(reading);
    }
}

fn behind_host(path: &[u8]) -> Vec<u8> {
    let rest = path.iter().skip(1).position(|byte| *byte == b'/');
    rest.and_then(|at| path.get(at + 1..)).unwrap_or(b"/").to_vec()
}

/// Up to the next literal slash.
fn without_parameters(path: &[u8]) -> Vec<u8> {
    let segments = path.split(|byte| *byte == b'/');
    let bare = segments.map(|segment| segment.split(|byte| *byte == b';').next().unwrap_or_default());
    bare.collect::<Vec<_>>().join(&b'/')
}

/// Invalid escapes stay as they are.
fn decode_again(path: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(path.len());
    let mut rest = path;
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..2).filter(|digits| *first == b'%' && digits.iter().all(u8::is_ascii_hexdigit));
        let escaped = digits.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        decoded.push(escaped.unwrap_or(*first));
        rest = escaped.and_then(|_| after.get(2..)).unwrap_or(after);
    }
    decoded
}

fn fold(path: &[u8]) -> Result<Vec<u8>, PathFault> {
    let mut slashed = Vec::with_capacity(path.len());
    let mut rest = path;
    while let Some((first, after)) = rest.split_first() {
        if rest.len() >= 3 && rest[..3].eq_ignore_ascii_case(b"%2f") {
            slashed.push(b'/');
            rest = &rest[3..];
            continue;
        }
        slashed.push(if *first == b'\\' { b'/' } else { *first });
        rest = after;
    }
    let mut folded = Vec::with_capacity(slashed.len());
    for segment in slashed.split(|byte| *byte == b'/') {
        let bare = segment.split(|byte| *byte == b';').next().unwrap_or_default();
        if matches!(bare, b"." | b"..") {
            return Err(PathFault::DotSegment);
        }
        if !bare.is_empty() {
            folded.push(b'/');
            folded.extend_from_slice(bare);
        }
    }
    if slashed.last() == Some(&b'/') || folded.is_empty() {
        folded.push(b'/');
    }
    Ok(folded)
}

#[cfg(test)]
mod tests;
