//! Exclusions from Composer's `classmap`. The principal type is [`Excluded`].

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use bstr::{BString, ByteSlice};

/// Composer's `exclude-from-classmap`, compiled. It affects what Composer lists; by PSR-4 or PSR-0 the loader still
/// finds the files, unless the list is authoritative.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Excluded {
    patterns: Vec<Pattern>,
}

/// A path; longer paths that continue at a `/` match too.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Pattern {
    start: BString,
    steps: Vec<Step>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Byte(u8),
    /// `*`: one byte or more, without `/`.
    Name,
    /// `**`: one byte or more.
    Any,
}

impl Excluded {
    /// Adds `pattern`, as written in a package in `folder`. Like Composer, ignores it if its `../` leads to nothing.
    pub fn add(&mut self, folder: &Path, pattern: &[u8]) {
        let slashes: Vec<u8> = pattern.iter().map(|byte| if *byte == b'\\' { b'/' } else { *byte }).collect();
        let mut rest = slashes.trim_with(|letter| letter == '/');
        let mut base = folder.to_owned();
        while let Some((up, below)) = rest.split_once_str("/").filter(|(up, _)| matches!(*up, b"" | b"." | b"..")) {
            base.push(Path::new(std::ffi::OsStr::from_bytes(up)));
            rest = below;
        }
        let Ok(base) = base.canonicalize() else { return };
        let mut start = BString::from(base.as_os_str().as_bytes());
        start.push(b'/');
        let mut steps: Vec<Step> = Vec::new();
        while let [byte, tail @ ..] = rest {
            rest = tail;
            steps.push(match (byte, tail) {
                (b'*', [b'*', tail @ ..]) => {
                    rest = tail;
                    Step::Any
                }
                (b'*', _) => Step::Name,
                // Composer collapses runs of slashes.
                (b'/', [b'/', ..]) => continue,
                _ => Step::Byte(*byte),
            });
        }
        self.patterns.push(Pattern { start, steps });
    }

    /// Whether it excludes nothing.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Whether the file is excluded, by this path or the one without links.
    pub fn excludes(&self, path: &Path) -> bool {
        !self.is_empty()
            && (self.matches(path.as_os_str().as_bytes())
                || path.canonicalize().is_ok_and(|real| self.matches(real.as_os_str().as_bytes())))
    }

    /// Whether a pattern matches this path.
    pub fn matches(&self, path: &[u8]) -> bool {
        self.patterns.iter().any(|pattern| pattern.matches(path))
    }
}

impl Pattern {
    /// Composer does not anchor its patterns at the path's beginning.
    fn matches(&self, path: &[u8]) -> bool {
        path.find_iter(&self.start).any(|at| self.matches_rest(path.get(at + self.start.len()..).unwrap_or_default()))
    }

    /// All ways at once: backtracking could take too long.
    fn matches_rest(&self, rest: &[u8]) -> bool {
        // Whether this many steps can match the bytes so far.
        let mut done = vec![false; self.steps.len() + 1];
        done[0] = true;
        for byte in rest.iter().copied().map(Some).chain([None]) {
            if done.last() == Some(&true) && matches!(byte, None | Some(b'/')) {
                return true;
            }
            let Some(byte) = byte else { break };
            for place in (0..self.steps.len()).rev() {
                let (fits, repeats) = match self.steps[place] {
                    Step::Byte(expected) => (byte == expected, false),
                    Step::Name => (byte != b'/', true),
                    Step::Any => (true, true),
                };
                let before = done[place];
                let repeated = repeats && done[place + 1];
                done[place + 1] = fits && (before || repeated);
            }
            done[0] = false;
        }
        false
    }
}

#[cfg(test)]
mod tests;
