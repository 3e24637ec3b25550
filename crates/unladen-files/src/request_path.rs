//! The principal type is [`RequestPath`]: a request's path, percent-decoded once.

use std::borrow::Cow;

/// A request's path: percent-decoded once (RFC 3986, section 2.4), without empty segments. It begins with `/`, has no
/// segment `.` or `..`, and no control character. Compare rules about paths with [`RequestPath::bytes`]: another
/// spelling cannot evade them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestPath<'t> {
    bytes: Cow<'t, [u8]>,
    unfit: Option<(usize, Unfit)>,
    /// Positions where `%2F` is an encoded slash, and not decoded from `%252F`.
    slashes: Vec<usize>,
    hidden: Option<usize>,
}

/// Why a target has no valid path: 400.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathFault {
    #[error("the target is not a path")]
    NoPath,
    #[error("a percent sign without two hexadecimal digits")]
    Percent,
    #[error("a control character in the path")]
    Control,
    /// `.` or `..`, in any spelling: clients resolve them before they ask (RFC 3986, section 5.2.4).
    #[error("a segment `.` or `..` in the path")]
    DotSegment,
}

/// Why no file is looked for. An application may still know the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// `%2F`: no file's name has a slash.
    EncodedSlash,
    /// `\`, which some programs take for a slash.
    Backslash,
    NotUtf8,
    /// A name begins with a dot: `.git`, `.env`, `.htaccess`.
    Hidden,
}

/// The only name with a leading dot that is public, as first segment (RFC 8615).
const WELL_KNOWN: &[u8] = b".well-known";

impl<'t> RequestPath<'t> {
    /// Parses a request's target up to the first `?`. Most paths are taken without a copy.
    ///
    /// # Errors
    /// If a client may not send it: 400.
    pub fn parse(target: &'t [u8]) -> Result<Self, PathFault> {
        let raw = target.split(|byte| *byte == b'?').next().unwrap_or_default();
        if raw.first() != Some(&b'/') {
            return Err(PathFault::NoPath);
        }
        let mut path = if is_plain(raw) {
            Self { bytes: Cow::Borrowed(raw), unfit: None, slashes: Vec::new(), hidden: None }
        } else {
            decode(raw)?
        };
        path.look_at_segments()?;
        Ok(path)
    }

    /// The decoded path. `%2F` stays encoded, since it is no separator.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The rest of the path, wholly decoded, including `%2F`, for applications that do not look for a file (RFC 3875,
    /// section 4.1.5).
    pub fn decoded_from(&self, start: usize) -> Cow<'_, [u8]> {
        let rest = self.bytes.get(start..).unwrap_or_default();
        let mut slashes = self.slashes.iter().filter_map(|at| at.checked_sub(start)).peekable();
        if slashes.peek().is_none() {
            return Cow::Borrowed(rest);
        }
        let (mut decoded, mut from) = (Vec::with_capacity(rest.len()), 0);
        for at in slashes {
            decoded.extend_from_slice(rest.get(from..at).unwrap_or_default());
            decoded.push(b'/');
            from = at + 3;
        }
        decoded.extend_from_slice(rest.get(from..).unwrap_or_default());
        Cow::Owned(decoded)
    }

    /// The part by which a file may be looked for, and why not the rest. `hidden`: names with a leading dot count.
    pub fn fit(&self, hidden: bool) -> (&[u8], Option<Unfit>) {
        let dotted = self.hidden.filter(|_| !hidden).map(|at| (at, Unfit::Hidden));
        let first = match (self.unfit, dotted) {
            (Some(one), Some(other)) => Some(if other.0 < one.0 { other } else { one }),
            (one, other) => one.or(other),
        };
        match first {
            Some((at, why)) => (self.bytes.get(..at).unwrap_or_default(), Some(why)),
            None => (&self.bytes, None),
        }
    }

    /// The path without a prefix of whole segments, such as `/static`; `None` if it has another. The prefix itself
    /// leaves an empty path, without slash.
    pub fn without(&self, beginning: &[u8]) -> Option<RequestPath<'_>> {
        let rest = self.bytes.strip_prefix(beginning).filter(|rest| rest.is_empty() || rest.starts_with(b"/"))?;
        let shift = |at: usize| at.checked_sub(beginning.len());
        Some(RequestPath {
            bytes: Cow::Borrowed(rest),
            unfit: self.unfit.and_then(|(at, why)| Some((shift(at)?, why))),
            slashes: self.slashes.iter().copied().filter_map(shift).collect(),
            hidden: self.hidden.and_then(shift),
        })
    }

    /// Whether it is a folder's path.
    pub fn ends_with_slash(&self) -> bool {
        self.bytes.last() == Some(&b'/')
    }

    fn look_at_segments(&mut self) -> Result<(), PathFault> {
        let mut at = 0;
        for (place, segment) in self.bytes.split(|byte| *byte == b'/').enumerate() {
            if is_dots(segment) {
                return Err(PathFault::DotSegment);
            }
            // The first segment is before the path's leading slash.
            if segment.first() == Some(&b'.') && !(place == 1 && segment == WELL_KNOWN) && self.hidden.is_none() {
                self.hidden = Some(at);
            }
            at += segment.len() + 1;
        }
        Ok(())
    }
}

/// Whether it is its own decoded form, and has nothing that a file's name would not have.
fn is_plain(raw: &[u8]) -> bool {
    let mut before = 0;
    raw.iter().all(|byte| {
        let is_empty_segment = *byte == b'/' && before == b'/';
        before = *byte;
        !is_empty_segment && matches!(byte, b' '..=b'~') && !matches!(byte, b'%' | b'\\')
    })
}

fn decode<'t>(raw: &[u8]) -> Result<RequestPath<'t>, PathFault> {
    let mut bytes = Vec::with_capacity(raw.len());
    let mut unfit: Option<(usize, Unfit)> = None;
    let mut slashes = Vec::new();
    let ends_with_slash = raw.last() == Some(&b'/');
    for segment in raw.split(|byte| *byte == b'/').filter(|segment| !segment.is_empty()) {
        bytes.push(b'/');
        let at = bytes.len();
        let mut why = decode_segment(segment, &mut bytes, &mut slashes)?;
        let decoded = bytes.get(at..).unwrap_or_default();
        if why.is_none() && std::str::from_utf8(decoded).is_err() {
            why = Some(Unfit::NotUtf8);
        }
        unfit = unfit.or(why.map(|why| (at, why)));
    }
    if ends_with_slash || bytes.is_empty() {
        bytes.push(b'/');
    }
    Ok(RequestPath { bytes: Cow::Owned(bytes), unfit, slashes, hidden: None })
}

fn decode_segment(segment: &[u8], into: &mut Vec<u8>, slashes: &mut Vec<usize>) -> Result<Option<Unfit>, PathFault> {
    let mut unfit = None;
    // As a program reads it that decodes the slash.
    let mut piece = Vec::new();
    let mut rest = segment;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        let mut byte = *first;
        if byte == b'%' {
            let (digits, after) = after.split_at_checked(2).ok_or(PathFault::Percent)?;
            byte = match digits {
                [high, low] => hex(*high)? << 4 | hex(*low)?,
                _ => return Err(PathFault::Percent),
            };
            rest = after;
            if byte == b'/' {
                unfit = unfit.or(Some(Unfit::EncodedSlash));
                slashes.push(into.len());
                into.extend_from_slice(b"%2F");
                if is_dots(&std::mem::take(&mut piece)) {
                    return Err(PathFault::DotSegment);
                }
                continue;
            }
        }
        if byte.is_ascii_control() {
            return Err(PathFault::Control);
        }
        into.push(byte);
        if byte == b'\\' {
            unfit = unfit.or(Some(Unfit::Backslash));
            if is_dots(&std::mem::take(&mut piece)) {
                return Err(PathFault::DotSegment);
            }
        } else {
            piece.push(byte);
        }
    }
    if is_dots(&piece) { Err(PathFault::DotSegment) } else { Ok(unfit) }
}

fn is_dots(segment: &[u8]) -> bool {
    matches!(segment, b"." | b"..")
}

fn hex(digit: u8) -> Result<u8, PathFault> {
    char::from(digit).to_digit(16).map(|digit| digit as u8).ok_or(PathFault::Percent)
}

#[cfg(test)]
mod tests;
