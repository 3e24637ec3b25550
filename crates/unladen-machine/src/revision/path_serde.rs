//! [`lossy`]: paths in documents, which are text.

use std::path::Path;

use serde::Serializer;

/// Invalid UTF-8 is replaced.
pub(crate) fn lossy<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}
