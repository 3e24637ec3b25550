//! [`lossy`]: paths in documents, which are text.

use std::path::Path;

use serde::Serializer;

/// Names that are no UTF-8 are shown as well as can be.
pub(crate) fn lossy<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}
