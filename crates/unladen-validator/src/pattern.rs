//! The principal type is [`PathPattern`]: which paths match, and their parameters.
//!
//! ```
//! use unladen_validator::PathPattern;
//!
//! let pattern = PathPattern::parse("/list/{name}/archive/{page*}").unwrap();
//! assert_eq!(pattern.read(b"/list/dogs%20only/archive/2/3?sort=up"), Some(vec!["dogs only".to_owned(), "2/3".to_owned()]));
//! assert_eq!(pattern.read(b"/list/dogs/archive/"), Some(vec!["dogs".to_owned(), String::new()]));
//! assert_eq!(pattern.read(b"/list/dogs"), None);
//! ```

/// Literal segments, `{name}` for one segment, `{name*}` for the rest, which may be empty: `/{page*}` matches every
/// page, including `/` and those that end with `/`.
///
/// Literals are compared byte by byte, as the client spelled them: another spelling (`/%61bout` for `/about`) does not
/// match. A `/` at the pattern's end requires one at the path's: `/{page*}/` matches the pages with a final `/`, and
/// yields what is before it. Without one, the rest includes its `/`: `/a` and `/a/` may be two pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathPattern {
    segments: Box<[Segment]>,
    names: Box<[String]>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Segment {
    /// Empty if the path ends with `/`. Last only.
    Literal(Box<[u8]>),
    One,
    /// Last only.
    Rest,
    /// Last only: the path ends with `/`, which is left out.
    RestAndSlash,
}

/// A path's values in the order of the pattern's names: percent-decoded once, UTF-8, without NUL and without `/`. The
/// value of `{name*}` may be empty, and has `/` between segments and, if the path has, at its end.
pub type Parameters = Vec<String>;

/// Why a pattern is invalid, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatternError {
    #[error("it does not begin with `/`")]
    NoSlash,
    #[error("a brace in `{0}` is unmatched: write `{{name}}`")]
    Unclosed(String),
    #[error("`{0}` has no name: write `{{name}}` or `{{name*}}`")]
    NoName(String),
    #[error("the name `{0}` may only have the letters a to z, digits and `_`, and does not begin with a digit")]
    Name(String),
    #[error("there are two `{{{0}}}`: give each a name of its own")]
    Twice(String),
    #[error("`{{{0}*}}` matches the rest, so only `/` can follow it")]
    NotLast(String),
    #[error("`*` alone has no meaning in `{0}`: write `{{rest*}}` for the rest, or `{{name}}` for one segment")]
    Star(String),
    #[error("the `*` of `{{*{0}}}` is before the name: write `{{{0}*}}`")]
    StarFirst(String),
    #[error("`{0}` has a name and other text between two `/`: a name must be a whole segment")]
    Mixed(String),
    #[error("there is nothing between two `/`: remove one")]
    Empty,
    #[error("`{0}` never occurs in a normalised path: write the path without it")]
    Dots(String),
    /// A character that paths do not have unencoded.
    #[error(
        "`{0}` has a character that clients send percent-encoded, or that is not part of a path: write it as they do (`%20` for a space)"
    )]
    Character(String),
}

impl PathPattern {
    /// Parses a pattern.
    ///
    /// # Errors
    /// If it is invalid.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let rest = text.strip_prefix('/').ok_or(PatternError::NoSlash)?;
        let mut segments = Vec::new();
        let mut names: Vec<String> = Vec::new();
        let mut left = rest.split('/').peekable();
        while let Some(part) = left.next() {
            let last = left.peek().is_none();
            let (mut segment, name) = Segment::parse(part, last)?;
            if let Some(name) = name {
                if names.contains(&name) {
                    return Err(PatternError::Twice(name));
                }
                if segment == Segment::Rest && !last {
                    if left.next() != Some("") || left.peek().is_some() {
                        return Err(PatternError::NotLast(name));
                    }
                    segment = Segment::RestAndSlash;
                }
                names.push(name);
            }
            segments.push(segment);
        }
        Ok(Self { segments: segments.into(), names: names.into() })
    }

    /// The names in it, in order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The parameters of a target (path and query); `None` if it does not match. The query is ignored.
    pub fn read(&self, target: &[u8]) -> Option<Parameters> {
        let path = target.split(|byte| *byte == b'?').next()?.strip_prefix(b"/")?;
        // Nothing is allocated for the many paths that do not match.
        let mut parts = path.split(|byte| *byte == b'/');
        for segment in &self.segments {
            match segment {
                Segment::Rest | Segment::RestAndSlash => drop(parts.next()?),
                Segment::Literal(literal) if parts.next()? == &**literal => {}
                Segment::Literal(_) => return None,
                Segment::One => drop(parts.next()?),
            }
        }
        match self.segments.last() {
            Some(Segment::Rest) => {}
            Some(Segment::RestAndSlash) if path.last().is_none_or(|last| *last == b'/') => {}
            Some(Segment::RestAndSlash) => return None,
            _ if parts.next().is_some() => return None,
            _ => {}
        }

        let mut parameters = Vec::with_capacity(self.names.len());
        let mut parts = path.split(|byte| *byte == b'/');
        for segment in &self.segments {
            match segment {
                Segment::Literal(_) => drop(parts.next()?),
                Segment::One => {
                    let mut decoded = Vec::new();
                    decode(parts.next()?, &mut decoded)?;
                    parameters.push(String::from_utf8(decoded).ok()?);
                }
                Segment::Rest | Segment::RestAndSlash => {
                    let mut decoded = Vec::new();
                    let mut next = parts.next();
                    while let Some(part) = next {
                        next = parts.next();
                        // Nothing at the end: nothing is left, or the path ends with `/`.
                        if !part.is_empty() || next.is_some() {
                            decode(part, &mut decoded)?;
                        }
                        if next.is_some() {
                            decoded.push(b'/');
                        }
                    }
                    if *segment == Segment::RestAndSlash {
                        decoded.pop();
                    }
                    parameters.push(String::from_utf8(decoded).ok()?);
                }
            }
        }
        Some(parameters)
    }
}

impl Segment {
    fn parse(part: &str, last: bool) -> Result<(Self, Option<String>), PatternError> {
        let shown = || part.to_owned();
        if !part.contains(['{', '}']) {
            return match part {
                _ if part.contains('*') => Err(PatternError::Star(shown())),
                "" if !last => Err(PatternError::Empty),
                "." | ".." => Err(PatternError::Dots(shown())),
                _ if !part.bytes().all(|byte| byte.is_ascii_graphic() && !b"?#\"<>\\^`|".contains(&byte)) => {
                    Err(PatternError::Character(shown()))
                }
                _ => Ok((Self::Literal(part.as_bytes().into()), None)),
            };
        }
        let (mut depth, mut star) = (0_i32, false);
        for byte in part.bytes() {
            star |= byte == b'*' && depth == 0;
            depth += i32::from(byte == b'{') - i32::from(byte == b'}');
            if !(0..=1).contains(&depth) {
                return Err(PatternError::Unclosed(shown()));
            }
        }
        if depth != 0 {
            return Err(PatternError::Unclosed(shown()));
        }
        if star {
            return Err(PatternError::Star(shown()));
        }
        let inner =
            part.strip_prefix('{').and_then(|part| part.strip_suffix('}')).filter(|inner| !inner.contains(['{', '}']));
        let Some(inner) = inner else { return Err(PatternError::Mixed(shown())) };
        let (name, rest) = inner.strip_suffix('*').map_or((inner, false), |name| (name, true));
        if name.is_empty() {
            return Err(PatternError::NoName(shown()));
        }
        if let Some(name) = name.strip_prefix('*').filter(|name| !name.is_empty()) {
            return Err(PatternError::StarFirst(name.to_owned()));
        }
        if name.starts_with(|first: char| first.is_ascii_digit())
            || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        {
            return Err(PatternError::Name(name.to_owned()));
        }
        Ok((if rest { Self::Rest } else { Self::One }, Some(name.to_owned())))
    }
}

/// Appends a decoded segment. `None` if it is empty, `.` or `..`, or has characters that a segment may not have.
fn decode(segment: &[u8], into: &mut Vec<u8>) -> Option<()> {
    let start = into.len();
    into.reserve(segment.len());
    let mut bytes = segment.iter();
    while let Some(byte) = bytes.next() {
        let byte = match byte {
            b'%' => (hex(*bytes.next()?)? << 4) | hex(*bytes.next()?)?,
            // A fragment is never sent, and white space would have ended the target.
            b'#' | b' ' => return None,
            other => *other,
        };
        if byte == 0 || byte == b'/' {
            return None;
        }
        into.push(byte);
    }
    let decoded = into.get(start..)?;
    (!decoded.is_empty() && decoded != b"." && decoded != b"..").then_some(())
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests;
