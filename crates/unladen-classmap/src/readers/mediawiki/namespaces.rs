//! The namespaces that the AutoLoader searches, and who registered them. The principal type is [`Namespaces`].

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use bstr::BString;

use super::Core;
use crate::Problem;
use crate::readers::path;

/// Prefixes and their folders, filled like PHP's `+=` on arrays: existing keys stay.
pub(super) struct Namespaces {
    root: PathBuf,
    has_namespaces: bool,
    puts_slash: bool,
    known: HashSet<BString>,
    pub(super) prefixes: Vec<(BString, Vec<PathBuf>)>,
    pub(super) problems: Vec<Problem>,
}

impl Namespaces {
    pub(super) fn of(core: &Core) -> Self {
        let (known, prefixes, problems) = Default::default();
        let Core { root, has_namespaces, puts_slash, .. } = core;
        Self { root: root.clone(), has_namespaces: *has_namespaces, puts_slash: *puts_slash, known, prefixes, problems }
    }

    /// Adds those not yet registered.
    pub(super) fn register(&mut self, namespaces: Vec<(BString, BString)>, origin: &Path) {
        if !self.has_namespaces {
            return;
        }
        for (prefix, folder) in namespaces {
            if !self.known.insert(prefix.clone()) {
                continue;
            }
            // The AutoLoader cuts a class's name after a `\`, and looks for that.
            let never = if !prefix.ends_with(b"\\") {
                Some("does not end with `\\`")
            } else if !self.puts_slash && !folder.ends_with(b"/") {
                Some(
                    "leads to a folder without a `/` at its end, which this release of MediaWiki does not put there itself",
                )
            } else {
                None
            };
            match never {
                Some(what) => {
                    let what = format!(
                        "the namespace `{prefix}` {what}: MediaWiki finds none of its classes, nor does the map"
                    );
                    self.problems.push(Problem::of(origin, what));
                }
                None => self.prefixes.push((prefix, vec![path::below(&self.root, &folder)])),
            }
        }
    }
}
