//! The principal type is [`Plan`]: the database file and the query.

use std::path::PathBuf;
use std::time::Duration;

#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) file: PathBuf,
    pub(super) query: String,
    pub(super) places: Box<[usize]>,
    pub(super) timeout: Duration,
}
