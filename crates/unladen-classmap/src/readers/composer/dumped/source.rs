//! Reads a file that Composer has written: [`source`].

use std::path::Path;

use crate::Problem;
use crate::input::read_whole;

pub(super) fn source(path: &Path) -> Result<Vec<u8>, Problem> {
    read_whole(path)
        .map_err(|error| Problem::of(path, format!("it can't be read: {error}; run composer dump-autoload")).hiding())
}
