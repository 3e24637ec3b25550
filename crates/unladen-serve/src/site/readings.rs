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
        let folded = fold(path.bytes())?;
        let behind_host = target.starts_with(b"//").then(|| {
            let bytes: Cow<'_, [u8]> = folded.as_deref().unwrap_or(path.bytes()).into();
            let rest = bytes.iter().skip(1).position(|byte| *byte == b'/');
            rest.and_then(|at| bytes.get(at + 1..)).unwrap_or(b"/").to_vec()
        });
        Ok(Self { path, folded, behind_host })
    }

    /// All readings, the usual one first.
    pub(crate) fn each(&self) -> impl Iterator<Item = &[u8]> {
        let others = [&self.folded, &self.behind_host].into_iter().flatten().map(Vec::as_slice);
        std::iter::once(self.path.bytes()).chain(others)
    }
}

/// None: it has nothing that is read in two ways.
pub(super) fn fold(path: &[u8]) -> Result<Option<Vec<u8>>, PathFault> {
    let has_slash = || path.windows(3).any(|three| three.eq_ignore_ascii_case(b"%2f"));
    if !path.iter().any(|byte| matches!(byte, b';' | b'\\')) && !has_slash() {
        return Ok(None);
    }
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
    Ok(Some(folded))
}

#[cfg(test)]
mod tests;
