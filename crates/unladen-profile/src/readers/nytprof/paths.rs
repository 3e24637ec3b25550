//! The principal type is [`Paths`]: the call paths of all requests as one tree.

use std::collections::HashMap;

use super::subs::Sub;
use super::tree::TooManyPaths;

/// Per file.
const MAX_PATHS: usize = 2 << 20;

/// A path: its last callee, and the path before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct PathId(u32);

/// All paths, each once and after its prefix.
#[derive(Default)]
pub(super) struct Paths {
    paths: Vec<(PathId, Sub)>,
    ids: HashMap<(PathId, Sub), PathId>,
}

impl PathId {
    pub(super) const ROOT: Self = Self(0);

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

impl Paths {
    pub(super) fn push(&mut self, before: PathId, sub: Sub) -> Result<PathId, TooManyPaths> {
        if let Some(id) = self.ids.get(&(before, sub)) {
            return Ok(*id);
        }
        if self.paths.len() == MAX_PATHS {
            return Err(TooManyPaths);
        }
        self.paths.push((before, sub));
        let id = PathId(self.paths.len() as u32);
        self.ids.insert((before, sub), id);
        Ok(id)
    }

    pub(super) fn sub(&self, path: PathId) -> Option<Sub> {
        Some(self.paths.get(path.index().checked_sub(1)?)?.1)
    }

    /// All except the root, each after its prefix: prefix and last callee.
    pub(super) fn iter(&self) -> impl Iterator<Item = (PathId, Sub)> {
        self.paths.iter().copied()
    }
}
