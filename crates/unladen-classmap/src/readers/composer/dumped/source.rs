//! A file that Composer has written: [`source`].

use std::path::Path;

use crate::Problem;

pub(super) fn source(path: &Path) -> Result<Vec<u8>, Problem> {
    std::fs::read(path)
        .map_err(|error| Problem::of(path, format!("it can't be read: {error}; run composer dump-autoload")).hiding())
}
