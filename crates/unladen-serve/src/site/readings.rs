//! The principal type is [`Readings`]: the ways in which those behind a route may read a path.

use std::borrow::Cow;

use unladen_files::{PathFault, RequestPath};

/// A path as routes are held against it: decoded once and without empty segments (`RequestPath`), and, where others may
/// read it otherwise, as they do. A request for which the readings lead to different routes is for neither.
#[derive(Debug)]
pub(crate) struct Readings<'t> {
    pub(crate) path: RequestPath<'t>,
    /// Of an encoded slash as a slash, of `\` as one, and without the parameters of segments (`;` and what follows),
    /// as Java's servers and some for Windows read it; none: it has nothing of that.
    pub(crate) folded: Option<Vec<u8>>,
    /// Of what has escapes still, or what could begin a query or a fragment: decoded once more, and cut there, as whoever
    /// reads the decoded path as a URL does; folded too. None: that is one of the others.
    pub(crate) again: Option<Vec<u8>>,
    /// Of what begins with `//`: without the first segment, which some parsers of URLs take for a host.
    pub(crate) behind_host: Option<Vec<u8>>,
}

// === impl Readings ===

impl<'t> Readings<'t> {
    /// Of a request's target.
    ///
    /// # Errors
    /// It is no path that a client may send, in one of the readings: 400.
    pub(crate) fn of(target: &'t [u8]) -> Result<Self, PathFault> {
        let path = RequestPath::parse(target)?;
        let [folded, again] = others(path.bytes())?;
        let behind_host = target.starts_with(b"//").then(|| {
            let bytes: Cow<'_, [u8]> = folded.as_deref().unwrap_or(path.bytes()).into();
            let rest = bytes.iter().skip(1).position(|byte| *byte == b'/');
            rest.and_then(|at| bytes.get(at + 1..)).unwrap_or(b"/").to_vec()
        });
        Ok(Self { path, folded, again, behind_host })
    }

    /// All readings, the usual one first.
    pub(crate) fn each(&self) -> impl Iterator<Item = &[u8]> {
        let others = [&self.folded, &self.again, &self.behind_host].into_iter().flatten().map(Vec::as_slice);
        std::iter::once(self.path.bytes()).chain(others)
    }
}

/// How others than this may read a decoded path: folded, and decoded again. None: as it is, or as the one before.
pub(super) fn others(path: &[u8]) -> Result<[Option<Vec<u8>>; 2], PathFault> {
    let has = |marks: &[u8]| path.iter().any(|byte| marks.contains(byte));
    if !has(b";\\%?#") {
        return Ok([None, None]);
    }
    let has_slash = || path.windows(3).any(|three| three.eq_ignore_ascii_case(b"%2f"));
    let folded = if has(b";\\") || has_slash() { Some(fold(path)?) } else { None };
    let again = fold(&decode_again(path))?;
    let is_another = again != path && folded.as_ref() != Some(&again);
    Ok([folded, is_another.then_some(again)])
}

/// An escape that is none stays as it is.
fn decode_again(path: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(path.len());
    let mut rest = path.split(|byte| matches!(byte, b'?' | b'#')).next().unwrap_or_default();
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
