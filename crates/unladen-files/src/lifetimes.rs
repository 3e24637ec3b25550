//! The principal type is [`Lifetimes`]: how long clients may keep files.

use std::time::Duration;

/// How long clients may keep files, by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lifetimes {
    list: Vec<(PathPattern, String)>,
}

/// A pattern of paths: `*` stands for any bytes, including slashes. A pattern with a slash is compared with the whole
/// path, another one with the file's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathPattern(Vec<u8>);

/// A year, as in RFC 8246's examples.
const IMMUTABLE: &str = "max-age=31536000, immutable";

impl Lifetimes {
    /// Files that never change (RFC 8246), and those that may be kept for a time; the first match counts.
    pub fn new<'p>(
        immutable: impl IntoIterator<Item = &'p str>,
        max_age: impl IntoIterator<Item = (&'p str, Duration)>,
    ) -> Self {
        let immutable = immutable.into_iter().map(|pattern| (PathPattern::new(pattern), IMMUTABLE.to_owned()));
        let max_age = max_age.into_iter().map(|(pattern, age)| {
            let control = if age.is_zero() { "no-cache".to_owned() } else { format!("max-age={}", age.as_secs()) };
            (PathPattern::new(pattern), control)
        });
        Self { list: immutable.chain(max_age).collect() }
    }

    /// `Cache-Control` for a file's path, which begins with a slash.
    pub fn cache_control(&self, path: &[u8]) -> Option<&str> {
        self.list.iter().find(|(pattern, _)| pattern.fits(path)).map(|(_, control)| control.as_str())
    }
}

impl PathPattern {
    /// Takes a pattern's text.
    pub fn new(text: &str) -> Self {
        Self(text.as_bytes().to_vec())
    }

    /// Whether it matches a path, which begins with a slash.
    pub fn fits(&self, path: &[u8]) -> bool {
        let of = if self.0.contains(&b'/') { path } else { path.rsplit(|byte| *byte == b'/').next().unwrap_or(path) };
        fits(&self.0, of)
    }
}

/// In time of the product of both lengths at most: only the last star is extended.
fn fits(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut in_text) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while let Some(byte) = text.get(in_text) {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at + 1, in_text));
                at += 1;
            }
            Some(own) if own == byte => {
                at += 1;
                in_text += 1;
            }
            _ => match &mut star {
                Some((behind, taken)) => {
                    *taken += 1;
                    (at, in_text) = (*behind, *taken);
                }
                None => return false,
            },
        }
    }
    pattern.get(at..).unwrap_or_default().iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests;
