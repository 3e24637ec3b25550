//! What the fuzz targets call.

use crate::input::Input;
use crate::profile::Profile;
use crate::read::reader_named;

/// What a reader makes of bytes; none if it refuses them, or there is no such reader.
pub fn read(reader: &str, mut bytes: &[u8]) -> Option<Profile> {
    reader_named(reader)?.read(&mut Input::new(&mut bytes)).ok()
}
